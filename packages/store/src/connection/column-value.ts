import type { ColumnValue } from './sqlite-connection.ts'
import { SqliteFailure } from './sqlite-failure.ts'

/**
 * Gives a value back if a column can hold it unchanged, else throws a `refused` failure. SQLite itself would cut a
 * text at U+0000, round an integer beyond 2^53, and the native library ends the process at a boolean.
 */
export function columnValue(value: unknown): ColumnValue {
  if (value === null || Number.isSafeInteger(value)) return value as number | null
  if (typeof value === 'string') {
    if (!value.includes('\0') && !/\p{Surrogate}/u.test(value)) return value
    throw refused('a text with U+0000 or a lone surrogate')
  }
  throw refused(typeof value === 'number' ? `the number ${value}, which is not a safe integer` : `a ${typeof value}`)
}

function refused(found: string): SqliteFailure {
  return new SqliteFailure(
    'refused',
    'SQLITE_MISMATCH',
    `A column takes texts, whole numbers and null; found ${found}.`,
  )
}
