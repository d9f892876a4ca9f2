import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from '../connection/libsql-connection.ts'
import { sqliteDialect } from '../connection/sqlite-dialect.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import type { Migration } from './migrations.ts'
import type { StoreTables } from './store-tables.ts'

let folder = ''
let database: Kysely<StoreTables>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-migrate-'))
  const connection = openLibsql(join(folder, 'a.db'), { busyTimeoutMs: 0 })
  database = new Kysely({ dialect: sqliteDialect(connection, 'begin immediate') })
})

afterEach(async () => {
  await database.destroy()
  rmSync(folder, { recursive: true, force: true })
})

const addColumn: Migration = async (target) => {
  await sql`alter table calls add column note text`.execute(target)
}

async function versions(): Promise<readonly number[]> {
  const rows = await database.selectFrom('schema_versions').select('version').orderBy('version').execute()
  return rows.map((row) => row.version)
}

describe('migrate', () => {
  it('applies every step once', async () => {
    await migrate(database, { file: 'a.db', at: 7 })
    await migrate(database, { file: 'a.db', at: 8 })
    expect(await versions()).toEqual(migrations.map((_, index) => index + 1))
  })

  it('applies only the new steps to an older file', async () => {
    await migrate(database, { file: 'a.db', at: 7 })
    await migrate(database, { file: 'a.db', at: 8, steps: [...migrations, addColumn] })
    expect(await versions()).toEqual([...migrations.map((_, index) => index + 1), migrations.length + 1])
    await migrate(database, { file: 'a.db', at: 9, steps: [...migrations, addColumn] })
  })

  it('leaves the old version when a step fails', async () => {
    await migrate(database, { file: 'a.db', at: 7 })
    const breaking: Migration = async (target) => {
      await addColumn(target)
      throw new Error('no')
    }
    await expect(migrate(database, { file: 'a.db', at: 8, steps: [...migrations, breaking] })).rejects.toThrow('no')
    expect(await versions()).toHaveLength(migrations.length)
    await migrate(database, { file: 'a.db', at: 8, steps: [...migrations, addColumn] })
  })

  it('refuses a file of a newer program', async () => {
    await migrate(database, { file: 'a.db', at: 7, steps: [...migrations, addColumn] })
    await expect(migrate(database, { file: 'a.db', at: 8 })).rejects.toMatchObject({
      code: 'STORE_NEWER',
      message: expect.stringMatching(/version 4.*up to 3/),
    })
  })

  it('makes columns of texts and whole numbers only', async () => {
    await migrate(database, { file: 'a.db', at: 7 })
    const tables = await database.introspection.getTables()
    const types = new Set(tables.flatMap((table) => table.columns.map((column) => column.dataType.toLowerCase())))
    expect(tables.map((table) => table.name).sort()).toEqual([
      'approvals',
      'calls',
      'evidence',
      'messages',
      'runs',
      'schema_versions',
      'sessions',
      'standing_rules',
      'transitions',
    ])
    expect(types).toEqual(new Set(['text', 'integer', 'bigint']))
  })
})
