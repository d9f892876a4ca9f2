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

  constructor(start: (outbox: Outbox) => Promise<RunResult>) {
    this.#start = start
  }

  get result(): Promise<RunResult> {
    // A turn later, so that who asks for the result first and iterates then still hears everything.
    this.#awaited ??= Promise.resolve().then(() => this.#run(deafOutbox))
    return this.#awaited
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunUpdate, void> {
    if (this.#running !== undefined) return
    const outbox = new Outbox(true)
    let over = false
    const running = this.#run(() => outbox).finally(() => {
      over = true
      outbox.close()
    })
    // Told below, or by `result`; it must not end the process in between.
    running.catch(() => undefined)
    try {
      while (!over || !outbox.isEmpty) {
        if (outbox.isEmpty) await outbox.whenPushed()
        for (const update of outbox.take()) yield update
      }
      await running
    } finally {
      outbox.stopListening()
    }
  }

  #run(outbox: () => Outbox): Promise<RunResult> {
    this.#running ??= this.#start(outbox())
    return this.#running
  }
}
