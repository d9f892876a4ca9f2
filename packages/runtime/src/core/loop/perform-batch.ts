import type { LiveCall } from '../call/live-call.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'

/**
 * Starts the ready calls of a batch and writes as they go: the intents before anything runs, outcomes as they come;
 * whatever settles or starts while a commit is under way shares the next one. Without a cap all start together.
 * One slow or failing call never holds or harms a sibling. `patch` goes with the first commit.
 */
export async function performBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  ready: readonly LiveCall[],
  patch: Partial<RunRecord>,
): Promise<void> {
  const { pipeline, writer } = setup
  const { fan } = pipeline.scope
  const cap = setup.limits.concurrency ?? Number.POSITIVE_INFINITY
  let waiting = ready
  let running = 0
  let settled: LiveCall[] = []
  let wake: () => void = () => undefined
  const settle = (call: LiveCall): void => {
    settled.push(call)
    running--
    wake()
  }
  for (let first = true; first || waiting.length > 0 || running > 0 || settled.length > 0; first = false) {
    if (fan.aborted) {
      for (const call of waiting) settled.push(await cancelled(setup, call))
      waiting = []
    }
    const starting = waiting.length <= cap - running ? waiting : waiting.slice(0, Math.max(0, cap - running))
    waiting = starting === waiting ? [] : waiting.slice(starting.length)
    for (const call of starting) pipeline.start(call)
    const done = settled
    settled = []
    if (first || starting.length > 0 || done.length > 0) {
      const recorded = await writer.commit({
        calls: first ? calls : starting.length === 0 ? done : [...done, ...starting],
        run: countStarted(first ? patch : {}, writer.run, starting),
      })
      running += starting.length
      for (const call of starting) {
        const performed = recorded === 'recorded' ? pipeline.perform(call) : pipeline.failUnrecorded(call)
        if (!isThenable(performed)) settle(call)
        else {
          // It never rejects by contract; should it all the same, the call still gets its one answer.
          const settleIt = (): void => {
            pipeline.failUnexpected(call)
            settle(call)
          }
          performed.then(settleIt, settleIt)
        }
      }
    }
    if (running > 0 && settled.length === 0) {
      let stopListening: () => void = () => undefined
      await new Promise<void>((resolve) => {
        wake = resolve
        // Woken by an abort only while calls still wait for their start: those under way hear of it themselves.
        if (waiting.length > 0 && !fan.aborted) stopListening = fan.listen(() => resolve())
      })
      stopListening()
    }
  }
}

async function cancelled(setup: LoopSetup, call: LiveCall): Promise<LiveCall> {
  await setup.pipeline.cancel(call, 'The run was aborted before the call started.')
  return call
}

/** The patch of the run's record, with what starts now counted in. */
function countStarted(patch: Partial<RunRecord>, run: RunRecord, starting: readonly LiveCall[]): Partial<RunRecord> {
  if (starting.length === 0) return patch
  let cost = 0
  for (const call of starting) cost += call.tool?.contract.costUsd ?? 0
  const calls = run.calls + starting.length
  if (cost === 0) return { ...patch, calls }
  return { ...patch, calls, costUsd: addCost(patch.costUsd === undefined ? run.costUsd : patch.costUsd, cost) }
}
