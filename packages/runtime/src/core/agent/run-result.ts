import type { Approval } from '../approval/approval.ts'
import type { ApprovalResponsePart } from '../content/content-part.ts'
import { textOf, type Message } from '../content/message.ts'
import type { RunRecord, Usage } from '../ports/run-record.ts'
import type { StopReason } from '../loop/stop-reason.ts'

/** A request that waits for a person, with the two answers it takes. Answers are data: hand them to `agent.run`. */
export type PendingApproval = Approval & {
  approve(decision: { readonly by: string }): ApprovalResponsePart
  deny(decision: { readonly by: string; readonly reason: string }): ApprovalResponsePart
}

/** An answer that was not accepted, and why. Nothing ran because of it. */
export type RefusedAnswer = { readonly id: string; readonly reason: string }

/** What a run came to when it stopped. */
export type RunResult = {
  readonly runId: string
  readonly sessionId: string
  readonly stopReason: StopReason
  /** The text of the assistant's last message of this run; empty when it said nothing. */
  readonly text: string
  /** Every message of this run, those from before a suspension included. */
  readonly messages: readonly Message[]
  readonly approvals: readonly PendingApproval[]
  readonly refused: readonly RefusedAnswer[]
  /** Summed over all model turns of the run. */
  readonly usage: Usage
  /** What the model or its connection said, when the run ended in `model_error`. For the host, in one line. */
  readonly error: string | null
}

export function resultOf(parts: {
  readonly run: RunRecord
  readonly stopReason: StopReason
  readonly messages: readonly Message[]
  readonly approvals: readonly Approval[]
  readonly refused: readonly RefusedAnswer[]
}): RunResult {
  const { run } = parts
  const own = parts.messages.slice(run.firstMessage)
  const last = own.findLast((message) => message.role === 'assistant')
  return {
    runId: run.id,
    sessionId: run.sessionId,
    stopReason: parts.stopReason,
    text: last === undefined ? '' : textOf(last.parts),
    messages: own,
    approvals: parts.approvals.map(pendingOf),
    refused: parts.refused,
    usage: run.usage,
    error: run.error,
  }
}

function pendingOf(approval: Approval): PendingApproval {
  const { id } = approval
  return {
    ...approval,
    approve: ({ by }) => ({ kind: 'function_approval_response', id, approved: true, by }),
    deny: ({ by, reason }) => ({ kind: 'function_approval_response', id, approved: false, by, reason }),
  }
}
