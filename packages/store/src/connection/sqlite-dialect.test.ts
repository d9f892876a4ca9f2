import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from './libsql-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

type Tables = { readonly things: { readonly id: number } }

let folder = ''
let database: Kysely<Tables>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-dialect-'))
  const connection = openLibsql(join(folder, 'a.db'), { busyTimeoutMs: 0 })
  database = new Kysely({ dialect: sqliteDialect(connection, 'begin immediate') })
  await database.schema.createTable('things').addColumn('id', 'integer').execute()
})

afterEach(async () => {
  await database.destroy()
  rmSync(folder, { recursive: true, force: true })
})

async function ids(): Promise<readonly number[]> {
  const rows = await database.selectFrom('things').select('id').orderBy('id').execute()
  return rows.map((row) => row.id)
}

describe('kysely over one connection', () => {
  it('passes the reason on when SQLite has rolled back by itself, and goes on working', async () => {
    const failing = database.transaction().execute(async (transaction) => {
      await transaction.insertInto('things').values({ id: 1 }).execute()
      await sql`rollback`.execute(transaction)
      throw new Error('disk full')
    })
    await expect(failing).rejects.toThrow('disk full')
    await database.insertInto('things').values({ id: 2 }).execute()
    expect(await ids()).toEqual([2])
  })

  it('lets a statement beside a transaction wait until it is over', async () => {
    const order: string[] = []
    const transaction = database.transaction().execute(async (inside) => {
      await inside.insertInto('things').values({ id: 1 }).execute()
      order.push('inside')
      throw new Error('rolled back')
    })
    const beside = database.insertInto('things').values({ id: 2 }).execute()
    await expect(transaction).rejects.toThrow('rolled back')
    await beside
    order.push('beside')
    expect(order).toEqual(['inside', 'beside'])
    expect(await ids()).toEqual([2])
  })

  it('takes many transactions at once, one after another', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    await Promise.all(
      numbers.map((id) =>
        database.transaction().execute(async (inside) => {
          const { count } = await inside
            .selectFrom('things')
            .select((build) => build.fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow()
          await inside.insertInto('things').values({ id: count }).execute()
          expect(id).toBe(count)
        }),
      ),
    )
    expect(await ids()).toEqual(numbers)
  })

  it('streams the rows of a query', async () => {
    for (const id of [1, 2]) await database.insertInto('things').values({ id }).execute()
    const seen: number[] = []
    for await (const row of database.selectFrom('things').select('id').orderBy('id').stream()) seen.push(row.id)
    expect(seen).toEqual([1, 2])
  })
})
