import type { LiveCall } from '../call/live-call.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { Pipeline } from '../call/pipeline.ts'
import type { Outbox } from './outbox.ts'
import type { RunUpdate } from './run-update.ts'
import type { RunWriter } from './run-writer.ts'

/**
 * Runs calls that were journalled as Executing, all at once, and writes outcomes as they come: whatever settles while
 * a commit is under way shares the next one. One slow or failing call never holds or harms a sibling.
 */
export async function* performBatch(
  calls: readonly LiveCall[],
  pipeline: Pipeline,
  writer: RunWriter,
  outbox: Outbox,
): AsyncGenerator<RunUpdate, void> {
  let settled: LiveCall[] = []
  let open = calls.length
  let wake: () => void = () => undefined
  const settle = (call: LiveCall): void => {
    settled.push(call)
    open--
    wake()
  }
  for (const call of calls) {
    const performed = pipeline.perform(call)
    // It never rejects by contract; should it all the same, the call is settled as it stands rather than waited for.
    if (isThenable(performed)) void Promise.resolve(performed).finally(() => settle(call))
    else settle(call)
  }
  while (open > 0 || settled.length > 0) {
    if (settled.length === 0 && outbox.isEmpty) {
      await new Promise<void>((resolve) => {
        wake = resolve
        outbox.whenPushed(resolve)
      })
    }
    if (settled.length > 0) {
      const done = settled
      settled = []
      await writer.commit({ calls: done })
    }
    yield* outbox.take()
  }
}
