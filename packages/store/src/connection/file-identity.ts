import { statSync } from 'node:fs'
import { FairleadError } from '@fairlead/runtime/core'

/**
 * Remembers which file a path leads to now and gives a function that throws `STORE_UNAVAILABLE` once it leads to another
 * one, or to none: what is written through an open handle then belongs to a file nobody will find again.
 */
export function sameFileCheck(file: string): () => void {
  const opened = identityOf(file)
  return () => {
    const found = identityOf(file)
    if (found !== null && found === opened) return
    throw new FairleadError(
      'STORE_UNAVAILABLE',
      `The store ${file} was ${found === null ? 'deleted or moved' : 'replaced by another file'} while it was open. What this process wrote since is lost; stop it, put the file back from where it went or from a backup, and begin again.`,
    )
  }
}

function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}/${found.ino}`
}
