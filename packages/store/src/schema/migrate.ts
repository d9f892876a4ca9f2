import { FairleadError } from '@fairlead/runtime/core'
import type { Kysely } from 'kysely'
import { migrations } from './migrations.ts'
import type { Migration } from './migrations.ts'
import type { StoreTables } from './store-tables.ts'

/** `steps` are the migrations this program knows; `at` is the time they are applied, `file` is for messages. */
export type MigrateOptions = { readonly file: string; readonly at: number; readonly steps?: readonly Migration[] }

/**
 * Brings a database to the newest version in one transaction; of two processes the second finds the work done.
 * Rejects with `STORE_NEWER` when the file was written by a newer program, with `STORE_UNAVAILABLE` when it holds
 * another program's tables, both with nothing changed.
 */
export async function migrate(database: Kysely<StoreTables>, options: MigrateOptions): Promise<void> {
  const steps = options.steps ?? migrations
  await database.transaction().execute(async (transaction) => {
    const tables = await transaction.introspection.getTables()
    const known = tables.some((table) => table.name === 'schema_versions')
    if (!known && tables.length > 0) throw foreignTables(options.file, tables[0]?.name ?? '')
    if (!known) await createVersionsTable(transaction)
    const found = await versionOf(transaction)
    if (found > steps.length) throw newerSchema(options.file, found, steps.length)
    for (const [index, step] of steps.entries()) {
      if (index < found) continue
      await step(transaction)
      await transaction
        .insertInto('schema_versions')
        .values({ version: index + 1, applied_at: options.at })
        .execute()
    }
  })
}

async function createVersionsTable({ schema }: Kysely<StoreTables>): Promise<void> {
  await schema
    .createTable('schema_versions')
    .addColumn('version', 'integer', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function versionOf(database: Kysely<StoreTables>): Promise<number> {
  const row = await database
    .selectFrom('schema_versions')
    .select((build) => build.fn.max('version').as('version'))
    .executeTakeFirst()
  return Number(row?.version ?? 0)
}

function newerSchema(file: string, found: number, known: number): FairleadError {
  return new FairleadError(
    'STORE_NEWER',
    `${file} has schema version ${found}; this program knows versions up to ${known}. Upgrade this program, or use another file.`,
  )
}

function foreignTables(file: string, table: string): FairleadError {
  return new FairleadError(
    'STORE_UNAVAILABLE',
    `${file} is a database of another program (it has a table "${table}" and no schema_versions). Choose another file.`,
  )
}
