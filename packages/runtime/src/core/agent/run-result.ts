import type { Approval } from '../approval/approval.ts'
import type { Remember } from '../approval/remember.ts'
import type { CallId } from '../call/call-id.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { ErrorCode } from '../call/error-code.ts'
import { normaliseResult } from '../call/normalise-result.ts'
import type { ApprovalResponsePart, FunctionResultPart } from '../content/content-part.ts'
import type { JsonObject } from '../json/json.ts'
import { textOf, type Message } from '../content/message.ts'
import type { RunRecord, Usage } from '../ports/run-record.ts'
import { keepsRunOpen, type StopReason } from '../loop/stop-reason.ts'
import { pendingHosted, type PendingHostedApproval } from './pending-hosted.ts'
import type { OpenRequest, OpenRequests } from './open-requests.ts'

/** A request that waits for a person, with the two answers it takes. Answers are data: hand them to `agent.run`. */
export type PendingApproval = Approval & {
  /** The agent tools the request came through, outermost first; empty for the run's own. */
  readonly path: readonly string[]
  /** `remember` with its `scope` and `expiresAt`: calls like this one are approved from now on. */
  approve(decision: ApproveDecision): ApprovalResponsePart
  /** Approves other arguments in place of those that were asked about; they are validated and judged again. */
  edit(args: JsonObject, decision: ApproveDecision): ApprovalResponsePart
  deny(decision: { readonly by: string; readonly reason: string }): ApprovalResponsePart
}

export type ApproveDecision = {
  readonly by: string
  readonly reason?: string
  /** `tool`: any call of this tool; `arguments`: only calls with exactly these. */
  readonly remember?: 'tool' | 'arguments'
  /** Where it counts: this conversation (the default), or all calls for this principal. */
  readonly scope?: 'session' | 'user'
  /** Until when, in milliseconds since the epoch. Default: until it is revoked. */
  readonly expiresAt?: number
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
  /** A provider's own questions that the last turn of the run left open; they are answered like {@link approvals}. */
  readonly hostedApprovals: readonly PendingHostedApproval[]
  /** Calls the host answers itself, when the run stopped with `client_tool_required`. */
  readonly clientCalls: readonly PendingClientCall[]
  /** Calls of which nobody knows whether they took effect, when the run stopped with `in_doubt`. */
  readonly inDoubt: readonly CallRecord[]
  /** The suspended run, packed and signed, where the agent has an `approvalSecret`; else `null`. */
  readonly continuation: string | null
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
  readonly requests: OpenRequests
  readonly continuation: string | null
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
    approvals: parts.requests.approvals.map(pendingOf),
    hostedApprovals: keepsRunOpen(parts.stopReason) ? [] : pendingHosted(own, run.id),
    clientCalls: parts.requests.clientCalls.map(clientCallOf),
    inDoubt: parts.requests.inDoubt,
    continuation: parts.continuation,
    refused: parts.refused,
    usage: run.usage,
    costUsd: run.costUsd,
    ignoredParts: run.ignoredParts,
    error: run.error,
  }
}

function pendingOf({ request, path }: OpenRequest<Approval>): PendingApproval {
  const { id } = request
  const approve = (decision: ApproveDecision): ApprovalResponsePart => approvalOf(id, decision)
  return {
    ...request,
    path,
    approve,
    edit: (args, decision) => ({ ...approvalOf(id, decision), edit: args }),
    deny: ({ by, reason }) => ({ kind: 'function_approval_response', id, approved: false, by, reason }),
  }
}

function approvalOf(id: string, { by, reason, remember, scope, expiresAt }: ApproveDecision): ApprovalResponsePart {
  const remembered: Remember | undefined =
    remember === undefined
      ? undefined
      : {
          what: remember,
          ...(scope === undefined ? {} : { scope }),
          ...(expiresAt === undefined ? {} : { expiresAt }),
        }
  return {
    kind: 'function_approval_response',
    id,
    approved: true,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...(remembered === undefined ? {} : { remember: remembered }),
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
