import type { LiveCall } from '../call/live-call.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'
import type { RunUpdate } from './run-update.ts'

/**
 * Starts the ready calls of a batch and writes as they go: the intents before anything runs, outcomes as they come;
 * whatever settles or starts while a commit is under way shares the next one. Without a cap all start together.
 * One slow or failing call never holds or harms a sibling. `patch` goes with the first commit.
 */
export async function* performBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  ready: readonly LiveCall[],
  patch: Partial<RunRecord>,
): AsyncGenerator<RunUpdate, void> {
  const { pipeline, writer, outbox } = setup
  const { fan } = pipeline.scope
  const waiting = [...ready]
  const cap = setup.limits.concurrency ?? Number.POSITIVE_INFINITY
  let running = 0
  let settled: LiveCall[] = []
  let wake: () => void = () => undefined
  let stopListening: () => void = () => undefined
  const settle = (call: LiveCall): void => {
    settled.push(call)
    running--
    wake()
  }
  for (let first = true; first || waiting.length > 0 || running > 0 || settled.length > 0; first = false) {
    if (fan.aborted) for (const call of waiting.splice(0)) settled.push(await cancelled(setup, call))
    const starting = waiting.splice(0, Math.max(0, cap - running))
    for (const call of starting) pipeline.start(call)
    const done = settled
    settled = []
    if (first || starting.length > 0 || done.length > 0) {
      const recorded = await writer.commit({
        calls: first ? calls : [...done, ...starting],
        run: { ...(first ? patch : {}), ...countStarted(first ? { ...writer.run, ...patch } : writer.run, starting) },
      })
      running += starting.length
      for (const call of starting) {
        if (recorded === 'unrecorded') {
          await pipeline.failUnrecorded(call)
          settle(call)
          continue
        }
        const performed = pipeline.perform(call)
        // It never rejects by contract; should it all the same, the call is settled as it stands, not waited for.
        if (isThenable(performed)) void Promise.resolve(performed).finally(() => settle(call))
        else settle(call)
      }
    }
    if (running > 0 && settled.length === 0 && outbox.isEmpty) {
      await new Promise<void>((resolve) => {
        wake = resolve
        outbox.whenPushed(resolve)
        stopListening = fan.listen(() => resolve())
      })
      stopListening()
    }
    yield* outbox.take()
  }
}

async function cancelled(setup: LoopSetup, call: LiveCall): Promise<LiveCall> {
  await setup.pipeline.cancel(call, 'The run was aborted before the call started.')
  return call
}

function countStarted(run: RunRecord, starting: readonly LiveCall[]): Partial<RunRecord> {
  if (starting.length === 0) return {}
  const cost = starting.reduce((sum, call) => sum + (call.tool?.contract.costUsd ?? 0), 0)
  return { calls: run.calls + starting.length, ...(cost === 0 ? {} : { costUsd: addCost(run.costUsd, cost) }) }
}
