import type { RunUpdate } from '../loop/run-update.ts'
import type { RunResult } from './run-result.ts'

/**
 * A run under way: iterate it for updates, await `result` for the outcome. Nothing happens until one of the two is
 * asked for; the run goes on to its end even if the iteration is given up. Can be iterated once.
 */
export interface RunStream extends AsyncIterable<RunUpdate> {
  readonly result: Promise<RunResult>
}

/** Makes a stream of a generator. Giving up the iteration runs the rest without a listener. */
export function runStream(generate: () => AsyncGenerator<RunUpdate, RunResult>): RunStream {
  return new StartedOnDemand(generate)
}

class StartedOnDemand implements RunStream {
  readonly #generate: () => AsyncGenerator<RunUpdate, RunResult>
  #generator: AsyncGenerator<RunUpdate, RunResult> | undefined
  #iterated = false
  readonly #settled: Promise<RunResult>
  #resolve: (result: RunResult) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #asked = false

  constructor(generate: () => AsyncGenerator<RunUpdate, RunResult>) {
    this.#generate = generate
    this.#settled = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A failure is told to whoever asks; it must not end the process when nobody does.
    this.#settled.catch(() => undefined)
  }

  get result(): Promise<RunResult> {
    if (!this.#asked) {
      this.#asked = true
      if (!this.#iterated) void this.#runToEnd()
    }
    return this.#settled
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunUpdate, void> {
    if (this.#iterated || this.#generator !== undefined) return
    this.#iterated = true
    let finished = false
    try {
      for (;;) {
        const next = await this.#next()
        if (next.done === true) {
          finished = true
          return
        }
        yield next.value
      }
    } catch (error) {
      finished = true
      throw error
    } finally {
      if (!finished) void this.#runToEnd()
    }
  }

  async #next(): Promise<IteratorResult<RunUpdate, RunResult>> {
    this.#generator ??= this.#generate()
    try {
      const next = await this.#generator.next()
      if (next.done === true) this.#resolve(next.value)
      return next
    } catch (error) {
      this.#reject(error)
      throw error
    }
  }

  async #runToEnd(): Promise<void> {
    try {
      while ((await this.#next()).done !== true);
    } catch {
      // Settled above; whoever awaits `result` hears of it.
    }
  }
}
