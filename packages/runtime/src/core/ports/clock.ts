/** Time, so that core never asks the machine for it. */
export interface Clock {
  /** Milliseconds since the epoch, whole. */
  now(): number
  /**
   * Resolves after `ms`; rejects with the signal's reason when it aborts first. Keeps the process alive meanwhile, because
   * somebody waits for what follows; `background` says that nobody does.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>
}
