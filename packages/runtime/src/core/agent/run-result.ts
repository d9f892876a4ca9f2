import type { Approval } from '../approval/approval.ts'
import type { CallId } from '../call/call-id.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { ErrorCode } from '../call/error-code.ts'
import { normaliseResult } from '../call/normalise-result.ts'
import type { ApprovalResponsePart, FunctionResultPart } from '../content/content-part.ts'
import type { JsonObject } from '../json/json.ts'
import { textOf, type Message } from '../content/message.ts'
import type { RunRecord, Usage } from '../ports/run-record.ts'
import type { StopReason } from '../loop/stop-reason.ts'

/** A request that waits for a person, with the two answers it takes. Answers are data: hand them to `agent.run`. */
export type PendingApproval = Approval & {
  approve(decision: { readonly by: string }): ApprovalResponsePart
  deny(decision: { readonly by: string; readonly reason: string }): ApprovalResponsePart
}

/** A call of a declaration-only tool that waits for its result from the host. Results are data: hand them to `agent.run`. */
export type PendingClientCall = {
  readonly callId: CallId
  readonly tool: string
  readonly arguments: JsonObject
  /** The call's result, in any form a tool may return. */
  answer(value: unknown): FunctionResultPart
  fail(errorCode: ErrorCode, message: string): FunctionResultPart
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
  /** Calls the host answers itself, when the run stopped with `client_tool_required`. */
  readonly clientCalls: readonly PendingClientCall[]
  readonly refused: readonly RefusedAnswer[]
  /** Summed over all model turns of the run. */
  readonly usage: Usage
  /** US dollars of models and tools; `null` when a part of it is not known. */
  readonly costUsd: number | null
  /** Parts of model turns nobody here knew and that were left out. */
  readonly ignoredParts: number
  /** Why, in one line for the host: what the model said when it failed, which limit was reached. */
  readonly error: string | null
}

export function resultOf(parts: {
  readonly run: RunRecord
  readonly stopReason: StopReason
  readonly messages: readonly Message[]
  readonly approvals: readonly Approval[]
  readonly clientCalls: readonly CallRecord[]
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
    clientCalls: parts.clientCalls.map(clientCallOf),
    refused: parts.refused,
    usage: run.usage,
    costUsd: run.costUsd,
    ignoredParts: run.ignoredParts,
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

function clientCallOf(call: CallRecord): PendingClientCall {
  const part = { kind: 'function_result', callId: call.providerCallId, name: call.tool, call: call.id } as const
  return {
    callId: call.id,
    tool: call.tool,
    arguments: call.arguments ?? {},
    answer: (value) => ({ ...part, status: 'success', content: normaliseResult(value).items }),
    fail: (errorCode, message) => ({ ...part, status: 'error', errorCode, content: [{ kind: 'text', text: message }] }),
  }
}
