import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { openDatabase } from './open-database.ts'
import type { StoreTables } from './schema/store-tables.ts'

async function pragma(database: Kysely<StoreTables>, name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(database)
  return Object.values(rows[0] ?? {})[0]
}

it('writes through to the disk at every commit, checks foreign keys, and lets readers in beside the writer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-open-'))
  const database = await openDatabase({ file: join(folder, 'store.db'), busyTimeoutMs: 7, lockTimeoutMs: 100 })
  try {
    const full = 2
    for (const connection of [database.writer, database.reader]) {
      expect(await pragma(connection, 'synchronous')).toBe(full)
      expect(await pragma(connection, 'foreign_keys')).toBe(1)
      expect(await pragma(connection, 'journal_mode')).toBe('wal')
      expect(await pragma(connection, 'busy_timeout')).toBe(7)
    }
    await database.writer.transaction().execute(async (transaction) => {
      await transaction.insertInto('sessions').values({ id: 'session_a', created_at: 1, message_count: 0 }).execute()
      expect(await database.reader.selectFrom('sessions').selectAll().execute()).toEqual([])
    })
    expect(await database.reader.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
