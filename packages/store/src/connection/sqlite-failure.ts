/**
 * What kind of failure SQLite reported: `busy` (another process holds the lock, try again), `constraint` (a unique or
 * foreign key was violated), `refused` (this value cannot be stored, others can), `storage` (disk, permission, damage).
 */
export type SqliteFailureKind = 'busy' | 'constraint' | 'refused' | 'storage'

/** A failed statement. `code` is SQLite's own name of the error, as `SQLITE_FULL`. */
export class SqliteFailure extends Error {
  override readonly name = 'SqliteFailure'
  readonly kind: SqliteFailureKind
  readonly code: string

  constructor(kind: SqliteFailureKind, code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.kind = kind
    this.code = code
  }
}

/** The kind that goes with one of SQLite's error names. */
export function failureKindOf(code: string): SqliteFailureKind {
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy'
  if (code.startsWith('SQLITE_CONSTRAINT')) return 'constraint'
  if (code === 'SQLITE_TOOBIG' || code === 'SQLITE_MISMATCH' || code === 'SQLITE_RANGE') return 'refused'
  return 'storage'
}

/** True for a `SqliteFailure` of the given kind. */
export function isFailure(error: unknown, kind: SqliteFailureKind): error is SqliteFailure {
  return error instanceof SqliteFailure && error.kind === kind
}
