import { setTimeout as wait } from 'node:timers/promises'
import { FairleadError } from '@fairlead/runtime/core'
import { isFailure } from './sqlite-failure.ts'

/** How long to go on trying while another process holds the file, in milliseconds; `file` is for the message. */
export type BusyRetryOptions = { readonly file: string; readonly lockTimeoutMs: number }

/**
 * Runs `operation` again as long as it fails because another process holds the lock, waiting in between without
 * blocking the event loop. The operation must leave nothing half done when it throws. Rejects with `STORE_UNAVAILABLE`
 * when the file stays locked for `lockTimeoutMs`; every other error is passed on at once.
 */
export async function retryWhileBusy<T>(options: BusyRetryOptions, operation: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + options.lockTimeoutMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await operation()
    } catch (error) {
      if (!isFailure(error, 'busy')) throw error
      if (performance.now() >= giveUpAt) throw stillLocked(options, error)
      await wait(pauseBefore(attempt))
    }
  }
}

/** Grows to about 32 ms; the random half keeps two processes from meeting again and again. */
function pauseBefore(attempt: number): number {
  return Math.min(2 ** attempt, 32) * (0.5 + Math.random())
}

function stillLocked({ file, lockTimeoutMs }: BusyRetryOptions, cause: unknown): FairleadError {
  return new FairleadError(
    'STORE_UNAVAILABLE',
    `Another process kept ${file} locked for ${lockTimeoutMs} ms. End the program that holds it open in a long transaction, or raise lockTimeoutMs (for the fairlead command: FAIRLEAD_LOCK_TIMEOUT_MS).`,
    { cause },
  )
}
