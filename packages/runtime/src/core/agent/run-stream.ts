import { deafOutbox, Outbox } from '../loop/outbox.ts'
import type { RunUpdate } from '../loop/run-update.ts'
import type { RunResult } from './run-result.ts'

/**
 * A run under way: iterate it for updates, await `result` for the outcome. Nothing happens until one of the two is
 * asked for (to have both, ask for both before you wait); the run goes on to its end even if the iteration is given up.
 * Can be iterated once, from the beginning.
 */
export interface RunStream extends AsyncIterable<RunUpdate> {
  readonly result: Promise<RunResult>
}

/** Makes a stream of a run that tells its updates to an outbox. */
export function runStream(start: (outbox: Outbox) => Promise<RunResult>): RunStream {
  return new StartedOnDemand(start)
}

class StartedOnDemand implements RunStream {
  readonly #start: (outbox: Outbox) => Promise<RunResult>
  #running: Promise<RunResult> | undefined
  #awaited: Promise<RunResult> | undefined
  #outbox: Outbox | undefined

  constructor(start: (outbox: Outbox) => Promise<RunResult>) {
    this.#start = start
  }

  get result(): Promise<RunResult> {
    // A turn later, so that who asks for the result first and iterates then still hears everything.
    this.#outbox?.keepAll()
    this.#awaited ??= Promise.resolve().then(() => this.#run(deafOutbox))
    return this.#awaited
  }

  [Symbol.asyncIterator](): AsyncIterator<RunUpdate, void> {
    if (this.#running !== undefined) return ended
    const outbox = new Outbox(true)
    this.#outbox = outbox
    if (this.#awaited !== undefined) outbox.keepAll()
    return new Updates(
      outbox,
      this.#run(() => outbox),
    )
  }

  #run(outbox: () => Outbox): Promise<RunResult> {
    this.#running ??= this.#start(outbox())
    return this.#running
  }
}

const ended: AsyncIterator<RunUpdate, void> = { next: async () => ({ done: true, value: undefined }) }

/**
 * Written out rather than generated: what already waits is handed on without waiting again, and waiting makes nothing but
 * its promise.
 */
class Updates implements AsyncIterator<RunUpdate, void> {
  readonly #outbox: Outbox
  readonly #running: Promise<unknown>
  #resolve: (result: IteratorResult<RunUpdate, void>) => void = nothing
  #reject: (reason: unknown) => void = nothing
  #isGivenUp = false
  #isWaiting = false
  #waiting: Promise<unknown> | undefined
  /** The last of those who asked before the one in front of them was answered. */
  #queue: Promise<unknown> | undefined

  constructor(outbox: Outbox, running: Promise<unknown>) {
    this.#outbox = outbox
    this.#running = running
    const end = (): void => outbox.close()
    // A failure is told by `next`, or by `result`; it must not end the process in between.
    running.then(end, end)
  }

  next(): Promise<IteratorResult<RunUpdate, void>> {
    return this.#isWaiting || this.#queue !== undefined ? this.#inTurn() : this.#take()
  }

  /** The listener goes away; the run goes on without it. */
  async return(): Promise<IteratorResult<RunUpdate, void>> {
    this.#isGivenUp = true
    this.#outbox.stopListening()
    return over
  }

  #take(): Promise<IteratorResult<RunUpdate, void>> {
    const value = this.#outbox.take()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    this.#isWaiting = true
    const waiting = new Promise(this.#wait)
    this.#waiting = waiting
    return waiting
  }

  #inTurn(): Promise<IteratorResult<RunUpdate, void>> {
    const take = (): Promise<IteratorResult<RunUpdate, void>> => this.#take()
    const mine = (this.#queue ?? Promise.resolve(this.#waiting)).then(take, take)
    this.#queue = mine
    const leave = (): void => {
      if (this.#queue === mine) this.#queue = undefined
    }
    mine.then(leave, leave)
    return mine
  }

  /** Whoever iterates gives up with an error, which stays theirs. */
  async throw(error?: unknown): Promise<IteratorResult<RunUpdate, void>> {
    await this.return()
    throw error
  }

  readonly #wait = (
    resolve: (result: IteratorResult<RunUpdate, void>) => void,
    reject: (reason: unknown) => void,
  ): void => {
    this.#resolve = resolve
    this.#reject = reject
    this.#outbox.whenPushed(this.#answer)
  }

  readonly #answer = (value: RunUpdate | undefined): void => {
    this.#isWaiting = false
    if (value !== undefined) return this.#resolve({ done: false, value })
    const resolve = this.#resolve
    if (this.#isGivenUp) resolve(over)
    else this.#running.then(() => resolve(over), this.#reject)
  }
}

const nothing = (): void => undefined

const over: IteratorResult<RunUpdate, void> = { done: true, value: undefined }
