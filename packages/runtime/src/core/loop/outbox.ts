import type { RunUpdate } from './run-update.ts'

/** Updates on their way to a stream. When nobody listens it keeps nothing. */
export class Outbox {
  readonly #listening: boolean
  #updates: RunUpdate[] = []
  #wake: () => void = () => undefined

  constructor(listening: boolean) {
    this.#listening = listening
  }

  readonly push = (update: RunUpdate): void => {
    if (!this.#listening) return
    this.#updates.push(update)
    this.#wake()
  }

  get isEmpty(): boolean {
    return this.#updates.length === 0
  }

  /** Calls `wake` at the next push. One waiter. */
  whenPushed(wake: () => void): void {
    this.#wake = wake
  }

  take(): readonly RunUpdate[] {
    const updates = this.#updates
    if (updates.length > 0) this.#updates = []
    return updates
  }
}
