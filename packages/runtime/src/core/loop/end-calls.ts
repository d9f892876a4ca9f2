import { advance } from '../call/call-state.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { JournalEntry } from '../ports/journal.ts'
import type { LoopSetup } from './loop-setup.ts'

/** Cancels what has no answer yet, and withdraws the requests it waited for. */
export async function endCalls(setup: LoopSetup, calls: readonly LiveCall[], because: string): Promise<void> {
  const { pipeline, writer, approvals } = setup
  const open = calls.filter((call) => call.record.result === null)
  const waiting = new Set(open.filter(({ state }) => state === 'NeedsApproval').map(({ record }) => record.id))
  for (const call of open) {
    if (call.state === 'Executing') pipeline.takeUpLost(call)
    if (isStep(call)) await pipeline.cancel(call, because)
    else await pipeline.settle(call, { kind: 'cancelled', because })
  }
  const pending = waiting.size === 0 ? [] : await approvals.list({ runId: writer.run.id, status: 'pending' })
  const decisions = pending
    .filter(({ callId }) => waiting.has(callId))
    .map(({ id }): JournalEntry => withdrawal(id, pipeline.ports.clock.now()))
  await writer.commit({ calls: open, decisions })
}

/** Not settled yet: the next step is its cancellation. */
function isStep({ state }: LiveCall): boolean {
  return advance(state, 'Cancelled') !== undefined
}

function withdrawal(id: string, at: number): JournalEntry {
  return { kind: 'approval-decided', id, status: 'expired', by: null, reason: null, at }
}
