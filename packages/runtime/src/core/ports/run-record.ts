import type { Json } from '../json/json.ts'
import type { CallId } from '../call/call-id.ts'
import type { Principal } from '../call/call-record.ts'
import type { StopReason } from '../loop/stop-reason.ts'

export type Usage = { readonly inputTokens: number; readonly outputTokens: number }

/** Which process works on a run, and until when (milliseconds since the epoch) its claim stands without renewal. */
export type Lease = { readonly worker: string; readonly until: number }

/** One run: from the prompt to a stop reason that ends it. */
export type RunRecord = {
  readonly id: string
  readonly traceId: string
  readonly sessionId: string
  readonly agent: string
  /** `agent`: a model proposes the calls; `call`: the host called one tool itself. */
  readonly kind: 'agent' | 'call'
  readonly principal: Principal
  readonly environment: string
  /** How the host started it, so that another process can go on with it. Never holds secrets. */
  readonly startedWith: Json
  /** The call that runs this agent as its tool; `null` for a run a host started. */
  readonly parent: { readonly runId: string; readonly callId: CallId } | null
  /** Every call of a batch that waits for a person is shown, not only those that need one. */
  readonly showsWholeBatch: boolean
  /** Names of the guards among its middleware: without them it does not go on. */
  readonly guards: readonly string[]
  readonly startedAt: number
  readonly endedAt: number | null
  readonly status: 'running' | 'suspended' | 'ended'
  readonly stopReason: StopReason | null
  /** How many messages the session held before this run added its first. */
  readonly firstMessage: number
  /** Model turns so far. */
  readonly turns: number
  readonly calls: number
  readonly usage: Usage
  /** False once a model turn did not say what it used: `usage` is then a lower bound. */
  readonly usageKnown: boolean
  /** US dollars of models and tools so far; `null` when a part of it is not known. */
  readonly costUsd: number | null
  /** Milliseconds this run was worked on, waiting for people not counted; brought up to date at each stop. */
  readonly workedMs: number
  /** The id of the history the provider holds, while it holds one. */
  readonly conversationId: string | null
  /** Parts of model turns that nobody here knew and that were left out. */
  readonly ignoredParts: number
  readonly error: string | null
  readonly lease: Lease | null
}
