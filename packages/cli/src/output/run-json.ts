import type { Approval, Json, JsonObject, StopReason, Usage } from '@fairlead/runtime/core'
import { pendingApprovalJson } from './approval-json.ts'

/** A call of a declaration-only tool that waits for its result from the host. */
export type ClientCallView = { readonly callId: string; readonly tool: string; readonly arguments: JsonObject }

/** What `run`, `resume`, `approvals approve`, `approvals deny` and `calls answer` tell of a run; `stopReason` is `null` while it works elsewhere. */
export type RunView = {
  readonly runId: string
  readonly sessionId: string
  readonly stopReason: StopReason | null
  readonly text: string
  readonly approvals: readonly Approval[]
  readonly clientCalls: readonly ClientCallView[]
  readonly usage: Usage
  readonly report: Json
}

/** The stable JSON form of a run. */
export function runJson(run: RunView): JsonObject {
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    stopReason: run.stopReason,
    text: run.text,
    approvals: run.approvals.map(pendingApprovalJson),
    clientCalls: run.clientCalls.map(({ callId, tool, arguments: args }) => ({ callId, tool, arguments: args })),
    usage: { inputTokens: run.usage.inputTokens, outputTokens: run.usage.outputTokens },
    report: run.report,
  }
}
