import Database from 'libsql'
import { columnValue } from './column-value.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { failureKindOf, SqliteFailure } from './sqlite-failure.ts'

type Statement = {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { readonly changes: number }
}

/** Multi-row inserts make a text per row count, so the cache is bounded. */
const cachedStatements = 256

/**
 * Opens a SQLite file with libsql, the only place that knows this library. Prepared statements are kept by their text.
 * `busyTimeoutMs` is how long a statement may wait, blocking, for another process. Throws `SqliteFailure`.
 */
export function openLibsql(file: string, options: { readonly busyTimeoutMs: number }): SqliteConnection {
  const database = attempt(() => new Database(file, { timeout: options.busyTimeoutMs }))
  const statements = new Map<string, Statement>()
  let open = true

  function prepared(sql: string): Statement {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql) as Statement
    if (statements.size >= cachedStatements) {
      const [oldest] = statements.keys()
      if (oldest !== undefined) statements.delete(oldest)
    }
    statements.set(sql, statement)
    return statement
  }

  return {
    execute(sql, parameters) {
      const values = parameters.map(columnValue)
      return attempt(() => {
        const statement = prepared(sql)
        // `all` runs a statement to its end; `get` would leave a read transaction open and adds a `_metadata` field.
        if (statement.reader) return { rows: statement.all(values), changes: 0 }
        return { rows: [], changes: statement.run(values).changes }
      })
    },
    get inTransaction() {
      return open && database.inTransaction
    },
    close() {
      if (!open) return
      open = false
      statements.clear()
      attempt(() => database.close())
    },
  }
}

function attempt<T>(operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    const code = sqliteCodeOf(error)
    const message = error instanceof Error ? error.message : String(error)
    throw new SqliteFailure(failureKindOf(code), code, message, { cause: error })
  }
}

function sqliteCodeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : 'SQLITE_ERROR'
}
