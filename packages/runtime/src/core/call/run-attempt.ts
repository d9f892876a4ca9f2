import type { Clock } from '../ports/clock.ts'
import type { AbortFan } from './abort-fan.ts'
import type { CallSignal } from './call-signal.ts'
import { isThenable } from './maybe-promise.ts'

/** How one attempt ended. After a time-out or an abort nobody waits for the tool: a late result is dropped. */
export type AttemptOutcome =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'aborted'; readonly started: boolean }

export type AttemptSetting = {
  readonly fan: AbortFan
  readonly signal: CallSignal
  readonly clock: Clock
  /** Milliseconds for this attempt, or `null` for no limit. */
  readonly timeoutMs: number | null
}

/** Starts the work and answers as soon as it ends, its time is up, or the run aborts: whichever comes first. */
export function runAttempt(start: () => unknown, setting: AttemptSetting): AttemptOutcome | Promise<AttemptOutcome> {
  if (setting.fan.aborted) return { kind: 'aborted', started: false }
  try {
    const started = start()
    // Looking at what came back may throw as well: a getter, a proxy.
    return isThenable(started) ? waitFor(Promise.resolve(started), setting) : { kind: 'returned', value: started }
  } catch (error) {
    return { kind: 'threw', error }
  }
}

function waitFor(work: Promise<unknown>, setting: AttemptSetting): Promise<AttemptOutcome> {
  const { fan, signal, clock, timeoutMs } = setting
  return new Promise((resolve) => {
    const timer = timeoutMs === null ? null : new AbortController()
    const end = (outcome: AttemptOutcome): void => {
      stopListening()
      timer?.abort()
      resolve(outcome)
    }
    const stopListening = fan.listen(() => {
      // The tool hears of it first, so that one that ends by itself in the same breath may still say how.
      signal.abort(fan.reason)
      resolve({ kind: 'aborted', started: true })
      timer?.abort()
    })
    work.then(
      (value) => end({ kind: 'returned', value }),
      (error: unknown) => end(fan.aborted ? { kind: 'aborted', started: true } : { kind: 'threw', error }),
    )
    if (timer !== null && timeoutMs !== null) {
      clock.sleep(timeoutMs, timer.signal).then(
        () => {
          end({ kind: 'timed-out', afterMs: timeoutMs })
          signal.abort(new DOMException(`The tool's ${timeoutMs} ms are over.`, 'TimeoutError'))
        },
        () => undefined,
      )
    }
  })
}
