import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import type { SqliteConnection } from './sqlite-connection.ts'

/**
 * Kysely over one synchronous connection. `begin` is the statement that opens a transaction: `begin immediate` for the
 * writer (a deferred one fails when it turns from reading to writing while another process writes), `begin` for a reader.
 * Transactions and single statements wait for one another, so that none sees half of another. Never retries.
 */
export function sqliteDialect(connection: SqliteConnection, begin: 'begin immediate' | 'begin'): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sqliteDriver(connection, begin),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function sqliteDriver(connection: SqliteConnection, begin: string): Driver {
  const kyselyConnection = adapt(connection)
  const run = async (sql: string): Promise<void> => {
    await kyselyConnection.executeQuery(CompiledQuery.raw(sql))
  }
  let last: Promise<void> = Promise.resolve()
  let release: () => void = () => undefined
  return {
    init: async () => undefined,
    async acquireConnection() {
      const before = last
      let endTurn: () => void = () => undefined
      last = new Promise((resolve) => {
        endTurn = resolve
      })
      await before
      release = endTurn
      return kyselyConnection
    },
    async releaseConnection() {
      release()
    },
    beginTransaction: () => run(begin),
    commitTransaction: () => run('commit'),
    async rollbackTransaction() {
      // A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
      if (connection.inTransaction) await run('rollback')
    },
    async destroy() {
      connection.close()
    },
  }
}

function adapt(connection: SqliteConnection): DatabaseConnection {
  function execute<Row>(query: CompiledQuery): QueryResult<Row> {
    const { rows, changes } = connection.execute(query.sql, query.parameters)
    // Kysely leaves the row type to the caller; the readers of this package check every row.
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) }
  }
  return {
    executeQuery: async (query) => execute(query),
    async *streamQuery(query) {
      yield execute(query)
    },
  }
}
