import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { mayRepeat } from '../call/normalise-outcome.ts'
import type { Pipeline } from '../call/pipeline.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ApprovalStore, JournalEntry } from '../ports/journal.ts'
import type { RunWriter } from './run-writer.ts'

/** What a stored batch comes to when its run is taken up again. */
export type ResumedBatch =
  | { readonly kind: 'waiting'; readonly reason: 'approval_required' | 'in_doubt' | 'client_tool_required' }
  | { readonly kind: 'open'; readonly opened: readonly Opened[] }

/**
 * Looks at every call of a stored batch and decides how it goes on. First it only reads: as long as one call waits for
 * a person, nothing of the batch runs. What was found out on the way (an expiry, a call in doubt) is written.
 */
export async function resumeBatch(
  calls: readonly LiveCall[],
  pipeline: Pipeline,
  writer: RunWriter,
  approvals: ApprovalStore,
): Promise<ResumedBatch> {
  const known = await readApprovals(calls, approvals)
  const now = pipeline.ports.clock.now()
  const decisions: JournalEntry[] = []
  let waiting: 'approval_required' | 'in_doubt' | 'client_tool_required' | null = null
  for (const call of calls) {
    switch (call.state) {
      case 'NeedsApproval': {
        const approval = known.get(call)
        if (approval?.status === 'pending' && now < approval.expiresAt) waiting ??= 'approval_required'
        else {
          if (approval?.status === 'pending') decisions.push(expiryOf(approval, now))
          call.move('Expired', now)
          await pipeline.settle(call, { kind: 'expired' })
        }
        break
      }
      case 'AwaitingClient':
        waiting ??= 'client_tool_required'
        break
      case 'Executing':
        if (!mayRepeat(call)) {
          call.move('Unknown', now, { because: 'the process was lost while the call was under way' })
          waiting = 'in_doubt'
        }
        break
      case 'Unknown':
        if (call.record.result === null) waiting = 'in_doubt'
        break
      default:
        break
    }
  }
  if (waiting !== null || decisions.length > 0) await writer.commit({ calls, decisions })
  if (waiting !== null) return { kind: 'waiting', reason: waiting }
  const opened: Opened[] = []
  for (const call of calls) {
    opened.push(await pipeline.decided(call, takeUp(call, known.get(call), pipeline)))
  }
  return { kind: 'open', opened }
}

/** The latest request of each call; each call gets the consents it was given so far. */
async function readApprovals(
  calls: readonly LiveCall[],
  store: ApprovalStore,
): Promise<ReadonlyMap<LiveCall, Approval>> {
  const known = new Map<LiveCall, Approval>()
  const [asked] = calls.filter((call) => call.record.approvalId !== null)
  if (asked === undefined) return known
  const approvals = await store.list({ runId: asked.record.runId })
  for (const call of calls) {
    const own = approvals.filter((approval) => approval.callId === call.record.id)
    const latest = own.find((approval) => approval.id === call.record.approvalId)
    if (latest !== undefined) known.set(call, latest)
    call.consents = own.filter((approval) => approval.status === 'approved')
  }
  return known
}

function takeUp(call: LiveCall, approval: Approval | undefined, pipeline: Pipeline): Opened | Promise<Opened> {
  switch (call.state) {
    case 'Requested':
    case 'Validated':
      return pipeline.reopen(call)
    case 'PolicyChecked':
      return pipeline.claim(call, null)
    case 'Approved':
      // Without its record there is no consent to stand on.
      return approval?.status === 'approved'
        ? pipeline.claim(call, approval)
        : pipeline.settle(moved(call, 'Expired', pipeline), { kind: 'expired' })
    case 'Denied':
      return pipeline.settle(call, { kind: 'denied', reason: approval?.reason ?? null })
    case 'Expired':
      return pipeline.settle(call, { kind: 'expired' })
    case 'Executing':
      return pipeline.takeUpLost(call)
    case 'Retried':
      return { kind: 'ready' }
    case 'Rejected':
    case 'Cancelled':
    case 'Failed':
    case 'TimedOut':
    case 'Succeeded':
    case 'Compensated':
      // These states are written together with their answer; found without one, the answer is that nothing is known.
      return pipeline.settle(call, { kind: 'cancelled', because: 'The process ended before the answer was kept.' })
    case 'NeedsApproval':
    case 'AwaitingClient':
    case 'Unknown':
    case 'Observed':
      return { kind: 'answered' }
    default:
      return call.state satisfies never
  }
}

function moved(call: LiveCall, state: 'Expired', pipeline: Pipeline): LiveCall {
  call.move(state, pipeline.ports.clock.now())
  return call
}

function expiryOf(approval: Approval, at: number): JournalEntry {
  return { kind: 'approval-decided', id: approval.id, status: 'expired', by: null, reason: null, at }
}
