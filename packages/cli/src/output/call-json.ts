import type { CallRecord, JsonObject } from '@fairlead/runtime/core'
import { doubtOf } from './calls-in-doubt.ts'
import { rfc3339 } from './rfc3339.ts'

/** When a call entered the state it is in, in milliseconds since the epoch. */
export function inStateSince({ transitions }: CallRecord): number {
  return transitions.at(-1)?.at ?? 0
}

/** A call as `calls list` prints it: where it stands, since when, and with what. */
export function listedCallJson(call: CallRecord): JsonObject {
  return {
    id: call.id,
    runId: call.runId,
    sessionId: call.sessionId,
    tool: call.tool,
    version: call.version,
    origin: call.origin,
    risk: call.risk,
    effects: call.effects,
    principal: call.principal.id,
    environment: call.environment,
    state: call.state,
    since: rfc3339(inStateSince(call)),
    arguments: call.arguments,
    approvalId: call.approvalId,
    attempts: call.attempts,
    isAnswered: call.result !== null,
    because: doubtOf(call),
  }
}
