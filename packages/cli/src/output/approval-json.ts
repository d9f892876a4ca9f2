import type { Approval, CallRecord, JsonObject } from '@fairlead/runtime/core'
import { callOutcomeJson } from './trace-json.ts'
import { rfc3339, rfc3339OrNull } from './rfc3339.ts'

/** A request as it is told: with the agent tools it came through, outermost first, and the arguments it was first asked with. */
export type ApprovalView = Approval & {
  /** Left out: none. */
  readonly path?: readonly string[]
  /** The arguments the same call was asked about before, where they were others. */
  readonly before?: JsonObject | null
  /** A program began its run: whoever decides has to name the configuration. */
  readonly isForeign?: boolean
}

/** An approval request as `run` lists it: what a person needs to decide. */
export function pendingApprovalJson(approval: ApprovalView): JsonObject {
  return {
    id: approval.id,
    callId: approval.callId,
    tool: approval.tool,
    version: approval.version,
    owner: approval.owner,
    origin: approval.origin,
    arguments: approval.arguments,
    risk: approval.risk,
    effects: approval.effects,
    impact: approval.impact,
    reversible: approval.reversible,
    modelReason: approval.modelReason,
    askedBy: approval.askedBy,
    askReason: approval.askReason,
    path: approval.path ?? [],
    expiresAt: rfc3339(approval.expiresAt),
  }
}

/** The same with where it belongs and what became of it, as `approvals list` prints it. */
export function approvalJson(approval: ApprovalView): JsonObject {
  return {
    ...pendingApprovalJson(approval),
    runId: approval.runId,
    sessionId: approval.sessionId,
    status: approval.status,
    createdAt: rfc3339(approval.createdAt),
    decidedBy: approval.decidedBy,
    decidedAt: rfc3339OrNull(approval.decidedAt),
    reason: approval.reason,
    edited: approval.edited?.arguments ?? null,
  }
}

/** The same with what became of its call, as `approvals show` prints it; `call` is `null` when it is not in the store. */
export function shownApprovalJson(approval: ApprovalView, call: CallRecord | undefined): JsonObject {
  return { ...approvalJson(approval), call: call === undefined ? null : callOutcomeJson(call) }
}
