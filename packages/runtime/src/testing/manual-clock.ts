import type { Clock } from '../core/index.ts'

type Sleeper = { readonly until: number; readonly wake: () => void }

/** A clock that moves only when told to. Sleepers wake in the order of their times. */
export class ManualClock implements Clock {
  #now: number
  #sleepers: Sleeper[] = []

  /** Starts at 2026-01-01T00:00:00Z unless told otherwise. Milliseconds since the epoch. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  /** How many are asleep; lets a test see that somebody waits before it moves the clock. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const sleeper: Sleeper = { until: this.#now + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal?.addEventListener(
        'abort',
        () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  /** Moves on by `ms` (back when negative) and lets everybody who became due go on. */
  async advance(ms: number): Promise<void> {
    this.#now += ms
    const due = this.#sleepers.filter((sleeper) => sleeper.until <= this.#now).toSorted((a, b) => a.until - b.until)
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.until > this.#now)
    for (const sleeper of due) sleeper.wake()
    // Lets the woken run before the caller looks.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
