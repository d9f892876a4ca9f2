import type { Json } from '../json/json.ts'
import type { LiveTools } from '../tool/live-tools.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { CallRecord, Principal } from './call-record.ts'

/** Where a tool may write lines for the operator. The model never sees them. */
export type ToolLogger = {
  readonly info: (message: string, fields?: { readonly [key: string]: Json }) => void
  readonly warn: (message: string, fields?: { readonly [key: string]: Json }) => void
}

/**
 * What `execute` gets beside its arguments. Never part of the schema, never seen by the model.
 * `signal` aborts on the run's abort and on the tool's deadline: hand it to whatever you wait for.
 */
export type InvocationContext<Services = unknown> = {
  readonly call: CallRecord
  readonly runId: string
  readonly session: { readonly id: string }
  readonly principal: Principal
  readonly environment: string
  readonly services: Services
  readonly signal: AbortSignal
  readonly logger: ToolLogger
  /** Leases secrets for this tool and principal, and runs programs in a sandbox: both refuse unless configured. */
  readonly secrets: { readonly lease: (name: string) => Promise<string> }
  readonly sandbox: Sandbox
  /** Stable over retries and resumes of this call: hand it to a remote that deduplicates. */
  readonly idempotencyKey: string
  /** From 1; counts repetitions of this call. */
  readonly attempt: number
  /** Tools that appear or go while the run works. A change takes effect with the next turn of the model. */
  readonly tools: LiveTools
  /** What all middleware and calls of this drive of the run share; seen by nobody else. */
  readonly state: Map<unknown, unknown>
  /** Where the full result of this call will be kept. */
  readonly evidence: { readonly uri: string }
  /** Tells the host how far the work is; shown live, never sent to the model. */
  readonly progress: (update: Json) => void
}
