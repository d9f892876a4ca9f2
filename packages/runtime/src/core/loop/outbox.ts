import type { RunUpdate } from './run-update.ts'

/** How many updates may wait for a slow listener before the model's stream waits for it. */
const room = 64

/**
 * Updates on their way from a run to whoever iterates it. When nobody listens it keeps nothing. The run itself never
 * waits for a listener; only a model's stream does, so that a slow reader slows the model and fills no memory.
 */
export class Outbox {
  #listening: boolean
  #updates: RunUpdate[] = []
  #patient = false
  #wakeListener: () => void = () => undefined
  #wakeWriter: () => void = () => undefined

  constructor(listening: boolean) {
    this.#listening = listening
  }

  readonly push = (update: RunUpdate): void => {
    if (!this.#listening) return
    this.#updates.push(update)
    if (this.#updates.length === 1) this.#wakeListener()
  }

  /** True while somebody listens. */
  get isHeard(): boolean {
    return this.#listening
  }

  get isEmpty(): boolean {
    return this.#updates.length === 0
  }

  get isFull(): boolean {
    return !this.#patient && this.#updates.length >= room
  }

  /** From now on everything is kept until it is taken: somebody waits for the end of the run before listening on. */
  keepAll(): void {
    this.#patient = true
    this.#wakeWriter()
  }

  /** Resolves at the next push. One listener. */
  whenPushed(): Promise<void> {
    return new Promise((resolve) => (this.#wakeListener = resolve))
  }

  /** Resolves when the listener took what waits, or went away. One writer. */
  whenTaken(): Promise<void> {
    return new Promise((resolve) => (this.#wakeWriter = resolve))
  }

  /** Everything that waits, for the listener. */
  take(): readonly RunUpdate[] {
    const updates = this.#updates
    if (updates.length > 0) this.#updates = []
    this.#wakeWriter()
    return updates
  }

  /** The listener goes away; from now on nothing is kept. */
  stopListening(): void {
    this.#listening = false
    this.#updates = []
    this.#wakeWriter()
  }

  /** Wakes a listener that waits for nothing any more. */
  close(): void {
    this.#wakeListener()
  }
}

/** For runs nobody iterates. */
export function deafOutbox(): Outbox {
  return new Outbox(false)
}
