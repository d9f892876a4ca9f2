import type { LiveCall } from '../call/live-call.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'
import type { RunPatch } from './run-patch.ts'

/**
 * Starts the ready calls of a batch and writes as they go: the intents before anything runs, outcomes as they come;
 * whatever settles or starts while a commit is under way shares the next one. Without a cap all start together.
 * One slow or failing call never holds or harms a sibling. `patch` goes with the first commit.
 */
export async function performBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  ready: readonly LiveCall[],
  patch: RunPatch,
): Promise<void> {
  const { writer, limits, pipeline } = setup
  const progress = new BatchProgress(setup)
  let waiting = ready
  if (pipeline.scope.fan.aborted) waiting = await cancelAll(setup, ready)
  let starting = startable(waiting, limits.concurrency, 0)
  waiting = waiting.slice(starting.length)
  for (const call of starting) pipeline.start(call)
  countStarted(patch, writer.run, starting)
  progress.perform(starting, await writer.commit({ calls, run: patch }))
  while (progress.isUnderWay || waiting.length > 0) {
    if (progress.mustWait(waiting.length > 0)) await progress.somethingSettled(waiting.length > 0)
    const settled = progress.takeSettled()
    if (waiting.length > 0) {
      if (pipeline.scope.fan.aborted) {
        settled.push(...waiting)
        waiting = await cancelAll(setup, waiting)
      }
      starting = startable(waiting, limits.concurrency, progress.running)
      waiting = waiting.slice(starting.length)
      for (const call of starting) pipeline.start(call)
    } else starting = none
    if (starting.length === 0) {
      await writer.commit({ calls: settled })
      continue
    }
    const run: RunPatch = {}
    countStarted(run, writer.run, starting)
    progress.perform(starting, await writer.commit({ calls: [...settled, ...starting], run }))
  }
}

const none: readonly LiveCall[] = []

function startable(waiting: readonly LiveCall[], cap: number | null, running: number): readonly LiveCall[] {
  return cap === null ? waiting : waiting.slice(0, Math.max(0, cap - running))
}

/** Cancels the calls an aborted run will not start; none is left. */
async function cancelAll(setup: LoopSetup, calls: readonly LiveCall[]): Promise<readonly LiveCall[]> {
  for (const call of calls) await setup.pipeline.cancel(call, 'The run was aborted before the call started.')
  return none
}

/** What runs, and what of it has settled and is not written yet. */
class BatchProgress {
  readonly #setup: LoopSetup
  #settled: LiveCall[] = []
  #wake: () => void = () => undefined
  running = 0

  constructor(setup: LoopSetup) {
    this.#setup = setup
  }

  get isUnderWay(): boolean {
    return this.running > 0 || this.#settled.length > 0
  }

  /** Runs calls whose intent was written; what could not be recorded fails without having run. */
  perform(calls: readonly LiveCall[], verdict: 'unrecorded' | void): void {
    const { pipeline } = this.#setup
    this.running += calls.length
    for (const call of calls) {
      const settle = (): void => {
        pipeline.failUnexpected(call)
        this.#settle(call)
      }
      if (verdict === 'unrecorded') pipeline.failUnrecorded(call).then(settle, settle)
      else pipeline.perform(call, settle)
    }
  }

  takeSettled(): LiveCall[] {
    const settled = this.#settled
    this.#settled = []
    return settled
  }

  /** False when there is something to write or to start already. */
  mustWait(orAborted: boolean): boolean {
    if (this.#settled.length > 0) return false
    return !(orAborted && (this.#setup.pipeline.scope.fan.aborted || this.running === 0))
  }

  /** Resolves once a call has settled; on an abort too while calls still wait for their start. */
  somethingSettled(orAborted: boolean): Promise<void> {
    const { fan } = this.#setup.pipeline.scope
    return new Promise((resolve) => {
      const stopListening = orAborted ? fan.listen(() => resolve()) : undefined
      this.#wake = () => {
        stopListening?.()
        resolve()
      }
    })
  }

  #settle(call: LiveCall): void {
    this.#settled.push(call)
    this.running--
    this.#wake()
  }
}

/** Counts what starts now into the patch of the run's record. */
function countStarted(patch: RunPatch, run: RunRecord, starting: readonly LiveCall[]): void {
  if (starting.length === 0) return
  let cost = 0
  for (const call of starting) cost += call.tool?.contract.costUsd ?? 0
  patch.calls = run.calls + starting.length
  if (cost !== 0) patch.costUsd = addCost(patch.costUsd === undefined ? run.costUsd : patch.costUsd, cost)
}
