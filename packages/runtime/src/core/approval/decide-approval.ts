import { LiveCall } from '../call/live-call.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Recorder } from '../ports/recorder.ts'
import type { Approval } from './approval.ts'

/** A person's answer, from the host's channel. `by` names who decided. */
export type ApprovalAnswer = {
  readonly id: string
  readonly approved: boolean
  readonly by: string
  readonly reason?: string
}

/** What became of an answer. Only `decided` changed anything. */
export type ApprovalVerdict =
  | { readonly kind: 'decided'; readonly approval: Approval }
  | { readonly kind: 'already'; readonly approval: Approval }
  | { readonly kind: 'expired'; readonly approval: Approval }
  | { readonly kind: 'unknown'; readonly id: string }

export type DecideOptions = { readonly clock: Clock; readonly recorder?: Recorder | null }

/** What is wrong with an answer, or `null`. It comes from outside: `approved: "false"` is no consent. */
export function faultOfAnswer(answer: ApprovalAnswer): string | null {
  const { id, approved, by, reason } = answer as { readonly [Key in keyof ApprovalAnswer]: unknown }
  if (typeof id !== 'string') return 'its id must be a text'
  if (approved !== true && approved !== false)
    return `approved must be true or false, found ${JSON.stringify(approved)}`
  if (typeof by !== 'string' || by.trim() === '') return 'by must name who decided'
  if (reason !== undefined && typeof reason !== 'string') return 'its reason must be a text'
  return null
}

/**
 * Records a decision, once: the first one wins, whoever comes later learns who decided and when. The call and its
 * request change in one transaction. Nothing runs here; resuming the run does that.
 * Rejects with `APPROVAL_REFUSED` for what is no answer at all, else only when the store fails.
 */
export async function decideApproval(
  store: Store,
  answer: ApprovalAnswer,
  options: DecideOptions,
): Promise<ApprovalVerdict> {
  const fault = faultOfAnswer(answer)
  if (fault !== null) throw new FairleadError('APPROVAL_REFUSED', `Not an answer to a request: ${fault}.`)
  for (;;) {
    const approval = await store.approvals.get(answer.id)
    if (approval === undefined) return { kind: 'unknown', id: answer.id }
    if (approval.status === 'expired') return { kind: 'expired', approval }
    if (approval.status !== 'pending') return { kind: 'already', approval }
    const at = options.clock.now()
    const expired = at >= approval.expiresAt
    const status = expired ? 'expired' : answer.approved ? 'approved' : 'denied'
    const decided: Approval = {
      ...approval,
      status,
      decidedBy: expired ? null : answer.by,
      decidedAt: at,
      reason: expired ? null : (answer.reason ?? null),
    }
    try {
      await write(store, decided, at, options.recorder ?? null)
    } catch (error) {
      // Somebody else was first: look again and tell who.
      if (error instanceof JournalConflict) continue
      throw error
    }
    return expired ? { kind: 'expired', approval: decided } : { kind: 'decided', approval: decided }
  }
}

const stateByStatus = { approved: 'Approved', denied: 'Denied', expired: 'Expired' } as const

async function write(store: Store, decided: Approval, at: number, recorder: Recorder | null): Promise<void> {
  const { id, status, decidedBy: by, reason } = decided
  if (status === 'pending' || status === 'superseded') return
  const entries: JournalEntry[] = [{ kind: 'approval-decided', id, status, by, reason, at }]
  const record = (await store.journal.calls(decided.runId)).find((call) => call.id === decided.callId)
  if (record?.state === 'NeedsApproval' && record.approvalId === id) {
    const call = LiveCall.stored(record, null)
    call.move(stateByStatus[status], at, { approval: id, by, ...(reason === null ? {} : { reason }) })
    await recorder?.record([{ call: call.record, transitions: call.unsaved }])
    call.takeEntries(entries)
  }
  await store.journal.append(entries)
}

/** An approval as it stands now: a request whose time is over reads as expired, whatever is stored. */
export function judgedNow(approval: Approval, now: number): Approval {
  return approval.status === 'pending' && now >= approval.expiresAt
    ? { ...approval, status: 'expired', decidedAt: approval.expiresAt }
    : approval
}
