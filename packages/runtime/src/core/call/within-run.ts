import type { Clock } from '../ports/clock.ts'
import type { AbortFan } from './abort-fan.ts'

/** How waiting for something ended. */
export type Waited<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'late' }

/**
 * Waits for a guard, a check or a mapping, but no longer than the run itself: an abort or the run's deadline ends the
 * waiting, whatever the work does then. Never rejects.
 */
export function withinRun<T>(
  work: PromiseLike<T>,
  run: { readonly fan: AbortFan; readonly clock: Clock; readonly remainingMs: number | null },
): Promise<Waited<T>> {
  const { fan, clock, remainingMs } = run
  return new Promise((resolve) => {
    const timer = remainingMs === null ? null : new AbortController()
    let stopListening: () => void = () => undefined
    const end = (waited: Waited<T>): void => {
      stopListening()
      timer?.abort()
      resolve(waited)
    }
    stopListening = fan.listen(() => end({ kind: 'aborted' }))
    Promise.resolve(work).then(
      (value) => end({ kind: 'done', value }),
      (error: unknown) => end({ kind: 'failed', error }),
    )
    if (timer !== null && remainingMs !== null) {
      clock.sleep(remainingMs, timer.signal).then(
        () => end({ kind: 'late' }),
        () => undefined,
      )
    }
  })
}
