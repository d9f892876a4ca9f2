/** A value a column can hold: integers within 2^53, text without U+0000. */
export type ColumnValue = string | number | null

/** What a statement gave back: its rows, or how many rows it changed. */
export type StatementResult = { readonly rows: readonly unknown[]; readonly changes: number }

/**
 * One synchronous connection to a SQLite file, whichever library opens it. Every failure is a `SqliteFailure`.
 * `execute` blocks the event loop for at most the busy time-out plus the work itself.
 */
export interface SqliteConnection {
  execute(sql: string, parameters: readonly unknown[]): StatementResult
  readonly inTransaction: boolean
  /** May be called twice. */
  close(): void
}
