import type { LiveCall } from '../call/live-call.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'
import type { RunPatch } from './run-patch.ts'

/** A classified batch: all its calls, those of them that may run, and what its turn adds to the run's record. */
export type Batch = {
  readonly calls: readonly LiveCall[]
  readonly ready: readonly LiveCall[]
  readonly patch: RunPatch
}

/**
 * Starts the ready calls of a batch and writes as they go: the intents before anything runs, outcomes as they come;
 * whatever settles or starts while a commit is under way shares the next one. Without a cap all start together.
 * One slow or failing call never holds or harms a sibling. Resolves with what `finish` makes of the batch once every
 * outcome is written; rejects when the journal cannot write.
 */
export function performBatch<T>(setup: LoopSetup, batch: Batch, finish: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = (): void => resolve(finish())
    new BatchProgress(setup, batch.ready, done, reject).begin(batch)
  })
}

const none: readonly LiveCall[] = []
const nothing = (): void => undefined
const aTickLater = Promise.resolve()

/**
 * What of a batch waits for its start, what runs, and what has settled and is not written yet. By callbacks, because
 * promises are what a call costs most: `#step` is the one place that says what happens next.
 */
class BatchProgress {
  readonly #setup: LoopSetup
  readonly #done: () => void
  readonly #fail: (error: unknown) => void
  #stopListening: () => void = nothing
  #waiting: readonly LiveCall[]
  #settled: LiveCall[] = []
  #running = 0
  /** A commit is under way, or calls are being started: what settles meanwhile shares the next commit. */
  #busy = true
  #stepsSoon = false

  constructor(setup: LoopSetup, ready: readonly LiveCall[], done: () => void, fail: (error: unknown) => void) {
    this.#setup = setup
    this.#waiting = ready
    this.#done = done
    this.#fail = fail
  }

  begin({ calls, patch }: Batch): void {
    const { fan } = this.#setup.pipeline.scope
    if (fan.aborted) {
      this.#cancelWaiting(() => this.#write(calls, none, patch))
      return
    }
    const starting = this.#startWaiting()
    // Calls that run have ears of their own; those that wait for their start are cancelled here.
    if (this.#waiting.length > 0) this.#stopListening = fan.listen(() => this.#stepSoon())
    this.#write(calls, starting, patch)
  }

  #step(): void {
    if (this.#busy) return
    const { scope } = this.#setup.pipeline
    if (this.#waiting.length > 0 && scope.fan.aborted) {
      const cancelled = this.#waiting
      this.#cancelWaiting(() => this.#write([...this.#takeSettled(), ...cancelled], none))
      return
    }
    const starting = this.#startWaiting()
    if (starting.length > 0) return this.#write([...this.#takeSettled(), ...starting], starting, {})
    if (this.#settled.length > 0) return this.#write(this.#takeSettled(), none)
    if (this.#running > 0) return
    this.#stopListening()
    this.#busy = true
    this.#done()
  }

  /** Calls that settle in one tick share one commit. */
  #stepSoon(): void {
    if (this.#stepsSoon) return
    this.#stepsSoon = true
    aTickLater.then(() => {
      this.#stepsSoon = false
      this.#guarded(() => this.#step())
    }, nothing)
  }

  /** Moves what may start now to Executing: all that waits, or as many as the cap leaves room for. */
  #startWaiting(): readonly LiveCall[] {
    const { pipeline, limits } = this.#setup
    const cap = limits.concurrency
    const starting = cap === null ? this.#waiting : this.#waiting.slice(0, Math.max(0, cap - this.#running))
    this.#waiting = cap === null ? none : this.#waiting.slice(starting.length)
    for (const call of starting) pipeline.start(call)
    return starting
  }

  /** Writes, then runs what was written as starting; what could not be recorded fails without having run. */
  #write(calls: readonly LiveCall[], starting: readonly LiveCall[], run?: RunPatch): void {
    this.#busy = true
    const { writer } = this.#setup
    if (run !== undefined) countStarted(run, writer.run, starting)
    writer.commitThen(
      run === undefined ? { calls } : { calls, run },
      (verdict) =>
        this.#guarded(() => {
          this.#perform(starting, verdict)
          this.#busy = false
          this.#step()
        }),
      (error) => this.#giveUp(error),
    )
  }

  #perform(starting: readonly LiveCall[], verdict: 'unrecorded' | void): void {
    const { pipeline } = this.#setup
    this.#running += starting.length
    for (const call of starting) {
      const settle = (): void => {
        pipeline.failUnexpected(call)
        this.#settle(call)
      }
      if (verdict === 'unrecorded') pipeline.failUnrecorded(call).then(settle, settle)
      else pipeline.perform(call, settle)
    }
  }

  #settle(call: LiveCall): void {
    this.#settled.push(call)
    this.#running--
    if (this.#busy) return
    // The last one has nobody to wait for.
    if (this.#running === 0) this.#guarded(() => this.#step())
    else this.#stepSoon()
  }

  /** Cancels the calls an aborted run will not start; none is left. */
  #cancelWaiting(next: () => void): void {
    this.#busy = true
    const cancelled = this.#waiting
    this.#waiting = none
    cancelAll(this.#setup, cancelled).then(
      () => this.#guarded(next),
      (error: unknown) => this.#giveUp(error),
    )
  }

  #takeSettled(): LiveCall[] {
    const settled = this.#settled
    this.#settled = []
    return settled
  }

  #guarded(body: () => void): void {
    try {
      body()
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** Nothing more is written or started. */
  #giveUp(error: unknown): void {
    this.#busy = true
    this.#stopListening()
    this.#fail(error)
  }
}

async function cancelAll(setup: LoopSetup, calls: readonly LiveCall[]): Promise<void> {
  for (const call of calls) await setup.pipeline.cancel(call, 'The run was aborted before the call started.')
}

/** Counts what starts now into the patch of the run's record. */
function countStarted(patch: RunPatch, run: RunRecord, starting: readonly LiveCall[]): void {
  if (starting.length === 0) return
  let cost = 0
  for (const call of starting) cost += call.tool?.contract.costUsd ?? 0
  patch.calls = run.calls + starting.length
  if (cost !== 0) patch.costUsd = addCost(patch.costUsd === undefined ? run.costUsd : patch.costUsd, cost)
}
