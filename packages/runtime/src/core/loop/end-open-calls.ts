import type { LiveCall } from '../call/live-call.ts'
import { afterLoss } from '../call/repeat-rule.ts'
import { endCalls } from './end-calls.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addToolMessage } from './settle-batch.ts'
import { takeUpCalls } from './take-up-calls.ts'

/**
 * Answers the calls of an unfinished turn whose run ends before they could go on: nothing of them runs. Answers
 * `in_doubt`, with nothing answered, when one of them may have had its effect: such a run waits for a person.
 */
export async function endOpenCalls(setup: LoopSetup, because: string): Promise<'in_doubt' | null> {
  const { writer } = setup
  if (setup.openCalls === null) return null
  const openCalls = await takeUpCalls(setup, setup.openCalls)
  if (markDoubt(setup, openCalls)) {
    await writer.commit({ calls: openCalls })
    return 'in_doubt'
  }
  await endCalls(setup, openCalls, because)
  addToolMessage(writer, openCalls)
  return null
}

function markDoubt({ pipeline }: LoopSetup, calls: readonly LiveCall[]): boolean {
  let found = false
  const now = pipeline.ports.clock.now()
  for (const call of calls) {
    if (call.state === 'Executing' && afterLoss(call, now) !== 'repeat') {
      call.move('Unknown', now, { because: 'the process was lost while the call was under way' })
    }
    if (call.state === 'Unknown' && call.record.result === null) found = true
  }
  return found
}
