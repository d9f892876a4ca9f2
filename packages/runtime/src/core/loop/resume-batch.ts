import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { afterLoss } from '../call/repeat-rule.ts'
import type { Pipeline } from '../call/pipeline.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { JournalEntry, RuleStore } from '../ports/journal.ts'
import { isInForce } from '../approval/standing-rule.ts'
import { grant, grantApprovals, type Granted } from './grant-approvals.ts'
import type { LoopSetup } from './loop-setup.ts'
import type { BatchWait } from './batch-wait.ts'

/** What a stored batch comes to when its run is taken up again. */
export type ResumedBatch =
  | { readonly kind: 'waiting'; readonly reason: Exclude<BatchWait, null> }
  | ({ readonly kind: 'open' } & Granted)

/**
 * Looks at every call of a stored batch and decides how it goes on. First it only reads: as long as one call waits for
 * a person, nothing of the batch runs. What was found out on the way (an expiry, a call in doubt) is written.
 */
export async function resumeBatch(calls: readonly LiveCall[], setup: LoopSetup): Promise<ResumedBatch> {
  const { pipeline, writer } = setup
  const known = await readApprovals(calls, setup)
  const now = pipeline.ports.clock.now()
  const decisions: JournalEntry[] = []
  const pending = new Set<LiveCall>()
  let waiting: Exclude<BatchWait, 'approval_required'> = null
  for (const call of calls) {
    switch (call.state) {
      case 'NeedsApproval': {
        const approval = known.get(call)
        if (approval?.status !== 'pending' || now >= approval.expiresAt) {
          if (approval?.status === 'pending') decisions.push(decisionOf(approval, 'expired', null, now))
          call.move('Expired', now)
          await pipeline.settle(call, { kind: 'expired' })
          break
        }
        // A rule made since then answers what is still queued.
        const granted = await grant(setup, call, approval)
        if (granted === null) pending.add(call)
        else {
          decisions.push(decisionOf(approval, 'approved', granted.decidedBy, now))
          known.set(call, granted)
        }
        break
      }
      case 'AwaitingClient':
        waiting ??= 'client_tool_required'
        break
      case 'Executing':
        if (await isInDoubt(call, setup, now)) {
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
  const goesOn = pending.size === 0 || (setup.partialAnswers === 'run' && calls.some((call) => isAnswer(call, known)))
  const reason = waiting ?? (goesOn ? null : 'approval_required')
  if (reason !== null || decisions.length > 0) await writer.commit({ calls, decisions })
  if (reason !== null) return { kind: 'waiting', reason }
  const opened: Opened[] = []
  for (const call of calls) {
    opened.push(
      pending.has(call) ? { kind: 'pending' } : await pipeline.decided(call, takeUp(call, known.get(call), pipeline)),
    )
  }
  return { kind: 'open', ...(await grantApprovals(setup, calls, opened)) }
}

/** Whether a lost call can only be settled by a person. A remote that can be asked is asked first. */
async function isInDoubt(call: LiveCall, { pipeline }: LoopSetup, now: number): Promise<boolean> {
  const rule = afterLoss(call, now)
  return rule === 'in-doubt' || (rule === 'reconcile' && (await pipeline.reconcile(call)) === 'in-doubt')
}

/** A request of the batch that was decided and not acted on yet. */
function isAnswer(call: LiveCall, known: ReadonlyMap<LiveCall, Approval>): boolean {
  const status = known.get(call)?.status
  return call.record.result === null && status !== undefined && status !== 'pending'
}

/** The latest request of each call; each call gets the consents it was given so far. */
async function readApprovals(
  calls: readonly LiveCall[],
  { approvals: store, pipeline }: LoopSetup,
): Promise<Map<LiveCall, Approval>> {
  const known = new Map<LiveCall, Approval>()
  const [asked] = calls.filter((call) => call.record.approvalId !== null)
  if (asked === undefined) return known
  const listed = await store.list({ runId: asked.record.runId })
  const now = pipeline.ports.clock.now()
  const approvals: Approval[] = []
  for (const approval of listed) approvals.push(await asItStands(approval, pipeline.scope.store.rules, now))
  for (const call of calls) {
    const own = approvals.filter((approval) => approval.callId === call.record.id)
    const latest = own.find((approval) => approval.id === call.record.approvalId)
    if (latest !== undefined) known.set(call, latest)
    call.consents = own.filter((approval) => approval.status === 'approved')
  }
  return known
}

/** What a rule consented to stands as long as the rule does: a consent without it fits nothing, and a person is asked. */
async function asItStands(approval: Approval, rules: RuleStore, now: number): Promise<Approval> {
  const ruleId = approval.status === 'approved' ? /^rule:(.*)$/.exec(approval.decidedBy ?? '')?.[1] : undefined
  if (ruleId === undefined) return approval
  const rule = await rules.get(ruleId)
  return rule !== undefined && isInForce(rule, now) ? approval : { ...approval, digest: '', edited: null }
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
    case 'Failed':
    case 'Succeeded':
      // The host's own result, on its way to the model.
      if (call.hostOutcome !== null) return { kind: 'client' }
      return pipeline.settle(call, { kind: 'cancelled', because: 'The process ended before the answer was kept.' })
    case 'Rejected':
    case 'Cancelled':
    case 'TimedOut':
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

function decisionOf({ id }: Approval, status: 'expired' | 'approved', by: string | null, at: number): JournalEntry {
  return { kind: 'approval-decided', id, status, by, reason: null, at }
}
