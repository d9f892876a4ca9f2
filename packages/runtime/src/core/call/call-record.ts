import type { Json, JsonObject } from '../json/json.ts'
import type { FunctionResultPart } from '../content/content-part.ts'
import type { Effects, Risk, ToolClass } from '../tool/contract.ts'
import type { CallId } from './call-id.ts'
import type { CallState } from './call-state.ts'
import type { ErrorCode } from './error-code.ts'

/** Who a call acts for. */
export type Principal = { readonly id: string; readonly roles?: readonly string[]; readonly tenant?: string }

/** One step of a call: the state it entered, when (milliseconds since the epoch), and why. */
export type Transition = { readonly state: CallState; readonly at: number; readonly detail: Json }

/** What policy said of a call, with every rule that matched. */
export type RecordedDecision = { readonly effect: 'allow' | 'ask' | 'deny'; readonly rules: readonly string[] }

/** The settled outcome as the journal keeps it; the full data lies under `evidenceUri`. */
export type RecordedResult = {
  readonly status: 'success' | 'error'
  readonly summary: string
  readonly errorCode: ErrorCode | null
  /** True when the same call may succeed later. */
  readonly retryable: boolean
  readonly evidenceUri: string | null
  /** The part of the conversation that answers the call. */
  readonly answer: FunctionResultPart
}

/** One call's whole life. Plain JSON; what is not known yet is `null`. */
export type CallRecord = {
  readonly id: CallId
  readonly runId: string
  readonly traceId: string
  readonly sessionId: string
  readonly turn: number
  readonly index: number
  /** The provider's id, which models reuse. */
  readonly providerCallId: string
  readonly principal: Principal
  readonly environment: string
  readonly tool: string
  readonly version: string | null
  readonly origin: string
  readonly effects: Effects
  readonly risk: Risk
  readonly class: ToolClass
  /** The text as the model wrote it. */
  readonly rawArguments: string
  /** Validated arguments with defaults applied; `null` when they never validated. */
  readonly arguments: JsonObject | null
  readonly modelReason: string | null
  readonly decision: RecordedDecision | null
  readonly approvalId: string | null
  readonly attempts: number
  readonly state: CallState
  readonly transitions: readonly Transition[]
  readonly result: RecordedResult | null
  readonly latencyMs: number | null
  /** Estimated tokens of what the model sees: characters divided by four, rounded up. */
  readonly observationTokens: number | null
}
