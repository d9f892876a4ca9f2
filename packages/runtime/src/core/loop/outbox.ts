import type { RunUpdate } from './run-update.ts'

/** How many updates may wait for a slow listener before the model's stream waits for it. */
const room = 64

/** A chain, not an array: most queues hold one or two, and an array that is filled anew makes room for sixteen. */
type Waiting = { readonly update: RunUpdate; next: Waiting | null }

type Receive = (update: RunUpdate | undefined) => void

/**
 * Updates on their way from a run to whoever iterates it. When nobody listens it keeps nothing. The run itself never
 * waits for a listener; only a model's stream does, so that a slow reader slows the model and fills no memory.
 */
export class Outbox {
  #listening: boolean
  #first: Waiting | null = null
  #last: Waiting | null = null
  #count = 0
  #closed = false
  #through: ((update: RunUpdate) => RunUpdate | undefined) | null = null
  #patient = false
  /** A listener that waits gets the next update handed over, past the queue. */
  #receive: Receive | undefined
  #wakeWriter: () => void = () => undefined

  constructor(listening: boolean) {
    this.#listening = listening
  }

  readonly push = (given: RunUpdate): void => {
    const update = this.#through === null ? given : this.#through(given)
    if (update === undefined || !this.#listening) return
    const receive = this.#receive
    if (receive === undefined) {
      this.#keep(update)
      return
    }
    this.#receive = undefined
    receive(update)
  }

  /** True while somebody listens, or sees what would be told. */
  get isHeard(): boolean {
    return this.#listening || this.#through !== null
  }

  /** From now on every update goes through here, and is told as it comes out; in a run nobody iterates too. */
  sendThrough(through: (update: RunUpdate) => RunUpdate | undefined): void {
    this.#through = through
  }

  get isFull(): boolean {
    return !this.#patient && this.#count >= room
  }

  /** The oldest update that waits, or `undefined`. */
  take(): RunUpdate | undefined {
    const first = this.#first
    if (first === null) return undefined
    this.#first = first.next
    this.#count--
    if (this.#first === null) this.#wakeWriter()
    return first.update
  }

  #keep(update: RunUpdate): void {
    const waiting: Waiting = { update, next: null }
    if (this.#first === null || this.#last === null) this.#first = waiting
    else this.#last.next = waiting
    this.#last = waiting
    this.#count++
  }

  /** Calls `receive` with the next update, or with nothing once the run is over. For one listener, when none waits. */
  whenPushed(receive: Receive): void {
    if (this.#closed) receive(undefined)
    else this.#receive = receive
  }

  /** Resolves when the listener took what waits, or went away. One writer. */
  whenTaken(): Promise<void> {
    return new Promise((resolve) => (this.#wakeWriter = resolve))
  }

  /** From now on everything is kept until it is taken: somebody waits for the end of the run before listening on. */
  keepAll(): void {
    this.#patient = true
    this.#wakeWriter()
  }

  /** The listener goes away; from now on nothing is kept. */
  stopListening(): void {
    this.#listening = false
    this.#first = null
    this.#count = 0
    this.#wakeWriter()
    this.close()
  }

  /** The run is over. What waits can still be taken. */
  close(): void {
    this.#closed = true
    const receive = this.#receive
    this.#receive = undefined
    receive?.(undefined)
  }
}

/** For runs nobody iterates. */
export function deafOutbox(): Outbox {
  return new Outbox(false)
}
