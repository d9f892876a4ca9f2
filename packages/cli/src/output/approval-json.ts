import type { Approval, CallRecord, JsonObject } from '@fairlead/runtime/core'
import { callOutcomeJson } from './trace-json.ts'
import { rfc3339, rfc3339OrNull } from './rfc3339.ts'

/** An approval request as `run` lists it: what a person needs to decide. */
export function pendingApprovalJson(approval: Approval): JsonObject {
  return {
    id: approval.id,
    callId: approval.callId,
    tool: approval.tool,
    version: approval.version,
    arguments: approval.arguments,
    risk: approval.risk,
    effects: approval.effects,
    impact: approval.impact,
    reversible: approval.reversible,
    modelReason: approval.modelReason,
    askedBy: approval.askedBy,
    askReason: approval.askReason,
    expiresAt: rfc3339(approval.expiresAt),
  }
}

/** The same with where it belongs and what became of it, as `approvals list` prints it. */
export function approvalJson(approval: Approval): JsonObject {
  return {
    ...pendingApprovalJson(approval),
    runId: approval.runId,
    sessionId: approval.sessionId,
    status: approval.status,
    createdAt: rfc3339(approval.createdAt),
    decidedBy: approval.decidedBy,
    decidedAt: rfc3339OrNull(approval.decidedAt),
    reason: approval.reason,
  }
}

/** The same with what became of its call, as `approvals show` prints it; `call` is `null` when it is not in the store. */
export function shownApprovalJson(approval: Approval, call: CallRecord | undefined): JsonObject {
  return { ...approvalJson(approval), call: call === undefined ? null : callOutcomeJson(call) }
}
