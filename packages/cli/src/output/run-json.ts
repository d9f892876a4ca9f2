import type { Json, JsonObject, StopReason, Usage } from '@fairlead/runtime/core'
import { pendingApprovalJson, type ApprovalView } from './approval-json.ts'

/** A call of a declaration-only tool that waits for its result from the host. */
export type ClientCallView = { readonly callId: string; readonly tool: string; readonly arguments: JsonObject }

/** A call of which nobody knows whether it took effect; `because` says what was lost. */
export type DoubtfulCallView = {
  readonly callId: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly because: string
  /** True where the model was told already that it is in doubt: it is not carried out once more by itself. */
  readonly isAnswered?: boolean
}

/** A provider's own question before it carries out a call of one of its tools; arguments as the model wrote them. */
export type HostedApprovalView = {
  readonly id: string
  readonly tool: string | null
  readonly arguments: string | null
}

/** What `run`, `resume`, `approvals approve`, `approvals deny` and `calls answer` tell of a run; `stopReason` is `null` while it works elsewhere. */
export type RunView = {
  readonly runId: string
  readonly sessionId: string
  /** A program began it: whoever goes on with it has to name the configuration. */
  readonly isForeign?: boolean | undefined
  readonly stopReason: StopReason | null
  /** How a call ended that somebody made by name; `null` for a run of a model, and while the call waits. */
  readonly callEnd: 'ended' | 'failed' | null
  readonly text: string
  readonly approvals: readonly ApprovalView[]
  readonly hostedApprovals: readonly HostedApprovalView[]
  readonly clientCalls: readonly ClientCallView[]
  readonly callsInDoubt: readonly DoubtfulCallView[]
  readonly usage: Usage
  readonly report: Json
  /** Why it stopped as it did, in one line; `null` where nothing went wrong. */
  readonly error: string | null
}

/** The stable JSON form of a run. */
export function runJson(run: RunView): JsonObject {
  return {
    runId: run.runId,
    sessionId: run.sessionId,
    stopReason: run.stopReason,
    text: run.text,
    approvals: run.approvals.map(pendingApprovalJson),
    hostedApprovals: run.hostedApprovals.map(({ id, tool, arguments: args }) => ({ id, tool, arguments: args })),
    clientCalls: run.clientCalls.map(({ callId, tool, arguments: args }) => ({ callId, tool, arguments: args })),
    callsInDoubt: run.callsInDoubt.map(({ callId, tool, arguments: args, because }) => ({
      callId,
      tool,
      arguments: args,
      because,
    })),
    usage: { inputTokens: run.usage.inputTokens, outputTokens: run.usage.outputTokens },
    report: run.report,
    error: run.error,
  }
}
