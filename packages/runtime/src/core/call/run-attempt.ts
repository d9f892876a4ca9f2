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

/**
 * Starts the work and tells how it ended, once, as soon as it ends, its time is up, or the run aborts: whichever comes
 * first, perhaps before this returns. By callback, because a promise for each call is what a call costs most.
 */
export function runAttempt(
  start: () => unknown,
  setting: AttemptSetting,
  onEnd: (outcome: AttemptOutcome) => void,
): void {
  if (setting.fan.aborted) return onEnd({ kind: 'aborted', started: false })
  let started: unknown
  let waits: boolean
  try {
    started = start()
    // Looking at what came back may throw as well: a getter, a proxy.
    waits = isThenable(started)
  } catch (error) {
    return onEnd({ kind: 'threw', error })
  }
  if (waits) waitFor(started, setting, onEnd)
  else onEnd({ kind: 'returned', value: started })
}

function waitFor(work: unknown, setting: AttemptSetting, onEnd: (outcome: AttemptOutcome) => void): void {
  const { fan, signal, timeoutMs } = setting
  let over = false
  let stopListening: () => void = () => undefined
  const timer = timeoutMs === null ? null : new AbortController()
  const end = (outcome: AttemptOutcome): void => {
    if (over) return
    over = true
    stopListening()
    timer?.abort()
    onEnd(outcome)
  }
  // It may answer at once: the tool itself may have aborted its run.
  stopListening = fan.listen(() => {
    signal.abort(fan.reason)
    end({ kind: 'aborted', started: true })
  })
  // A foreign promise may throw when it is followed: `resolve` makes that a rejection.
  Promise.resolve(work).then(
    (value) => end({ kind: 'returned', value }),
    (error: unknown) => end(fan.aborted ? { kind: 'aborted', started: true } : { kind: 'threw', error }),
  )
  if (timer !== null && timeoutMs !== null) endAfter(timeoutMs, timer, setting, end)
}

function endAfter(
  ms: number,
  timer: AbortController,
  { clock, signal }: AttemptSetting,
  end: (outcome: AttemptOutcome) => void,
): void {
  clock.sleep(ms, timer.signal).then(
    () => {
      end({ kind: 'timed-out', afterMs: ms })
      signal.abort(new DOMException(`The tool's ${ms} ms are over.`, 'TimeoutError'))
    },
    () => undefined,
  )
}
