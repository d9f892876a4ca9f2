/** Time, so that core never asks the machine for it. */
export interface Clock {
  /** Milliseconds since the epoch, whole. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
