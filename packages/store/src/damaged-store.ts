import { FairleadError } from '@fairlead/runtime/core'
import { isFailure } from './connection/sqlite-failure.ts'

/** Whether SQLite found the file itself broken, which neither space nor permissions will mend. */
export function isDamage(error: unknown): error is Error {
  return isFailure(error, 'storage') && error.code.startsWith('SQLITE_CORRUPT')
}

/** The error for a file whose content is broken. */
export function damagedStore(file: string, cause: Error): FairleadError {
  return new FairleadError(
    'STORE_UNAVAILABLE',
    `The store ${file} is damaged: ${cause.message}. Restore it from a backup, or use another file.`,
    { cause },
  )
}
