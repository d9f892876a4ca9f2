import type { Json, JsonObject } from '../json/json.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** What a call does to the world. Undeclared: `unknown`, which is treated as the worst. */
export type Effects = 'read' | 'write' | 'destructive' | 'unknown'

export type Risk = 'low' | 'medium' | 'high' | 'critical'

/** What may be done with a call of which it is not known whether it took effect. */
export type ToolClass = 'readOnly' | 'idempotencyKey' | 'queryable' | 'transactional' | 'nonIdempotent'

/** When an executor may repeat a failed attempt; core makes one. `maxAttempts` counts the first call; the last delay repeats. */
export type RetryRule = {
  readonly maxAttempts: number
  readonly backoffSeconds?: readonly number[]
  readonly retryableErrorCodes?: readonly string[]
}

/** A call as `needsApproval`, `impact` and policy see it: validated, not yet run. */
export type ProposedCall = { readonly tool: string; readonly arguments: JsonObject }

/** Hints of the MCP kind: untrusted unless the operator vouches for the server. */
export type ToolAnnotations = {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** The part of a tool that describes it: everything but the code. */
export type ToolContract = {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly owner: string | null
  /** `local`, `mcp:<server>`, `skill:<name>` or `agent:<name>`. */
  readonly origin: string
  readonly effects: Effects
  readonly risk: Risk
  readonly class: ToolClass
  readonly timeoutMs: number | null
  readonly retry: RetryRule | null
  readonly concurrency: number | null
  readonly errorCodes: readonly string[]
  readonly tags: readonly string[]
  readonly phases: readonly string[]
  readonly environments: readonly string[]
  readonly needsApproval: boolean | ((call: ProposedCall) => boolean | Promise<boolean>)
  readonly annotations: ToolAnnotations
  readonly sandbox: string | null
  readonly labels: Json
  readonly examples: readonly Json[]
  readonly whenNotToUse: string | null
  readonly idempotency: { readonly windowMs: number } | null
  readonly impact: string | ((call: ProposedCall) => string) | null
  readonly reversible: 'yes' | 'no' | { readonly by: string } | null
  readonly costUsd: number | null
  readonly strict: boolean
  /** Whether a person who approves a call may change its arguments. */
  readonly editable: boolean
  /** Fields an operator loosened on a copy of the tool; empty for a tool as its author made it. */
  readonly loosened: readonly string[]
  /** The schema as the model sees it. Reading it builds it once. */
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
}
