import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { FairleadError } from '@fairlead/runtime/core'
import { Kysely } from 'kysely'
import { retryWhileBusy } from './connection/busy-retry.ts'
import { openLibsql } from './connection/libsql-connection.ts'
import type { SqliteConnection } from './connection/sqlite-connection.ts'
import { sqliteDialect } from './connection/sqlite-dialect.ts'
import { isFailure, SqliteFailure } from './connection/sqlite-failure.ts'
import { sameFileCheck } from './connection/file-identity.ts'
import { damagedStore, isDamage } from './damaged-store.ts'
import { makeFolder } from './make-folder.ts'
import { migrate } from './schema/migrate.ts'
import type { StoreTables } from './schema/store-tables.ts'

/** All times in milliseconds. */
export type OpenDatabaseOptions = {
  readonly file: string
  readonly busyTimeoutMs: number
  readonly lockTimeoutMs: number
}

/** Two connections to one file: readers never wait for the writer and never see half of a transaction. */
export type OpenDatabase = {
  readonly writer: Kysely<StoreTables>
  readonly reader: Kysely<StoreTables>
  /** Throws `STORE_UNAVAILABLE` once the path leads to another file than the one that is open. */
  readonly requireSameFile: () => void
  close(): Promise<void>
}

/**
 * Opens the file, creating it (mode 0600) and its folder (mode 0700) where missing, and brings it to the newest schema.
 * Rejects with `STORE_NEWER` or `STORE_UNAVAILABLE`; nothing stays open then.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { file } = options
  const opened: SqliteConnection[] = []
  try {
    createFile(file)
    const openOne = async (): Promise<SqliteConnection> => {
      const connection = connect(options)
      opened.push(connection)
      return connection
    }
    const writer = await retryWhileBusy(options, openOne)
    const reader = await retryWhileBusy(options, openOne)
    const writing = new Kysely<StoreTables>({ dialect: sqliteDialect(writer, 'begin immediate') })
    const reading = new Kysely<StoreTables>({ dialect: sqliteDialect(reader, 'begin') })
    await retryWhileBusy(options, () => migrate(writing, { file, at: Date.now() }))
    return {
      writer: writing,
      reader: reading,
      requireSameFile: sameFileCheck(file),
      async close() {
        await reading.destroy()
        foldJournalIn(writer)
        await writing.destroy()
        // Kysely destroys only what was used once.
        for (const connection of opened) connection.close()
      },
    }
  } catch (error) {
    for (const connection of opened) connection.close()
    throw cannotOpen(file, error)
  }
}

function connect({ file, busyTimeoutMs }: OpenDatabaseOptions): SqliteConnection {
  const connection = openLibsql(file, { busyTimeoutMs })
  try {
    connection.execute('pragma journal_mode = wal', [])
    connection.execute('pragma synchronous = full', [])
    connection.execute('pragma foreign_keys = on', [])
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Leaves one file that can be copied. While another process reads or writes, this does nothing and is not needed. */
function foldJournalIn(connection: SqliteConnection): void {
  try {
    connection.execute('pragma wal_checkpoint(truncate)', [])
  } catch (error) {
    if (!(error instanceof SqliteFailure)) throw error
  }
}

/** Touches no existing file: closing any handle of it would drop the locks another store of this process holds. */
function createFile(file: string): void {
  makeFolder(dirname(file))
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
  else closeSync(openSync(file, 'a', 0o600))
}

function cannotOpen(file: string, error: unknown): unknown {
  if (error instanceof FairleadError) return error
  const found = error instanceof Error ? error.message : String(error)
  if (isDamage(error)) return damagedStore(file, error)
  const advice =
    isFailure(error, 'storage') && error.code === 'SQLITE_NOTADB'
      ? 'It is not an SQLite database: choose another file.'
      : 'Check that the path is a file this user may read and write, on a local disk.'
  return new FairleadError('STORE_UNAVAILABLE', `Cannot open the store ${file}: ${found}. ${advice}`, { cause: error })
}
