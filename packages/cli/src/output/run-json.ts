import type { Approval, Json, JsonObject, StopReason, Usage } from '@fairlead/runtime/core'
import { pendingApprovalJson } from './approval-json.ts'

/** What `run`, `resume`, `approvals approve` and `approvals deny` tell of a run; `stopReason` is `null` while it works elsewhere. */
export type RunView = {
  readonly runId: string
  readonly sessionId: string
  readonly stopReason: StopReason | null
  readonly text: string
  readonly approvals: readonly Approval[]
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
    usage: { inputTokens: run.usage.inputTokens, outputTokens: run.usage.outputTokens },
    report: run.report,
  }
}
