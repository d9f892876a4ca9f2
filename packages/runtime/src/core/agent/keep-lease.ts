import type { AbortFan } from '../call/abort-fan.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { RunWriter } from '../loop/run-writer.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { Clock } from '../ports/clock.ts'

/**
 * Renews this worker's claim on a run at a third of its time, until stopped. When the claim is lost, the run is
 * aborted here: somebody else goes on with it. Gives back what stops the renewal and waits for its end.
 */
export function keepLease(
  writer: RunWriter,
  setting: { readonly clock: Clock; readonly leaseMs: number; readonly fan: AbortFan },
): () => Promise<void> {
  const { clock, leaseMs, fan } = setting
  const stop = new AbortController()
  const renewing = (async () => {
    while (!stop.signal.aborted) {
      try {
        // A claim is worth nothing to a process that has nothing else to do.
        await clock.sleep(leaseMs / 3, stop.signal, { background: true })
        await writer.renewLease(clock.now() + leaseMs)
      } catch (error) {
        if (stop.signal.aborted) return
        if (!(error instanceof JournalConflict)) continue
        fan.abort(new FairleadError('RUN_BUSY', 'Another process has taken this run over.', { cause: error }))
        return
      }
    }
  })()
  return async () => {
    stop.abort()
    await renewing
  }
}
