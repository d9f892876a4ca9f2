import type { Approval, CallRecord, Json, JsonObject, Principal, RunRecord } from '@fairlead/runtime/core'
import { rfc3339, rfc3339OrNull } from './rfc3339.ts'
import type { Trace } from './trace.ts'

function principalJson(principal: Principal): JsonObject {
  return { id: principal.id, roles: principal.roles ?? [], tenant: principal.tenant ?? null }
}

/** A run's record, and how many calls were proposed in it; the record counts those that were executed. */
export type CountedRun = { readonly run: RunRecord; readonly callsProposed: number }

/** A run as `trace list` and `trace show` print it; who works on it at the moment is left out. */
export function runRecordJson({ run, callsProposed }: CountedRun): JsonObject {
  return {
    id: run.id,
    traceId: run.traceId,
    sessionId: run.sessionId,
    agent: run.agent,
    kind: run.kind,
    principal: principalJson(run.principal),
    environment: run.environment,
    startedWith: run.startedWith,
    startedAt: rfc3339(run.startedAt),
    endedAt: rfc3339OrNull(run.endedAt),
    status: run.status,
    stopReason: run.stopReason,
    turns: run.turns,
    calls: run.calls,
    callsProposed,
    usage: { inputTokens: run.usage.inputTokens, outputTokens: run.usage.outputTokens },
    error: run.error,
  }
}

function resultJson(call: CallRecord): Json {
  if (call.result === null) return null
  const { status, summary, errorCode, evidenceUri } = call.result
  return { status, summary, errorCode, evidenceUri }
}

/** Where a call stands and what came of it; `result` is `null` while it has none. */
export function callOutcomeJson(call: CallRecord): JsonObject {
  return { state: call.state, result: resultJson(call) }
}

/** Who was asked about a call and what came of it. */
function decisionJson(approval: Approval): JsonObject {
  const { id, status, askedBy, decidedBy, decidedAt, reason } = approval
  return { id, status, askedBy, decidedBy, decidedAt: rfc3339OrNull(decidedAt), reason }
}

/** One call's whole life as `trace show` prints it. */
function callJson(call: CallRecord, { approvals, thrown }: Trace): JsonObject {
  return {
    id: call.id,
    traceId: call.traceId,
    sessionId: call.sessionId,
    principal: principalJson(call.principal),
    tool: call.tool,
    version: call.version,
    origin: call.origin,
    risk: call.risk,
    effects: call.effects,
    arguments: call.arguments,
    modelReason: call.modelReason,
    decision: call.decision === null ? null : { effect: call.decision.effect, rules: call.decision.rules },
    approvals: approvals.filter(({ callId }) => callId === call.id).map(decisionJson),
    transitions: call.transitions.map(({ state, at, detail }) => ({ state, at: rfc3339(at), detail })),
    attempts: call.attempts,
    result: resultJson(call),
    thrown: thrown.get(call.id) ?? null,
    latencyMs: call.latencyMs,
    observationTokens: call.observationTokens,
  }
}

/** `trace show`: the run and its calls in the order they were proposed. */
export function traceJson(trace: Trace): JsonObject {
  const { run, calls } = trace
  return {
    run: runRecordJson({ run, callsProposed: calls.length }),
    calls: calls.map((call) => callJson(call, trace)),
  }
}
