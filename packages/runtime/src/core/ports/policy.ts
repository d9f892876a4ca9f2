import type { JsonObject } from '../json/json.ts'
import type { Principal } from '../call/call-record.ts'
import type { ToolContract } from '../tool/contract.ts'

/** What policy gets to see of a call: validated, frozen arguments and who asks, where. */
export type PolicyQuestion = {
  readonly tool: ToolContract
  readonly arguments: JsonObject
  readonly principal: Principal
  readonly environment: string
  readonly sessionId: string
  readonly runId: string
}

/** A decision names every rule that matched. `deny` outranks `ask`, `ask` outranks `allow`. */
export type Decision =
  | { readonly effect: 'allow'; readonly rules: readonly string[] }
  | { readonly effect: 'ask'; readonly rules: readonly string[]; readonly reason?: string }
  | { readonly effect: 'deny'; readonly rules: readonly string[]; readonly reason?: string }

/**
 * Judges a call before it runs, and again when an approval is claimed. A policy that throws, or answers what is no
 * decision, denies (`POLICY_ERROR`); the agent's logger is told why. A decision without `rules` names none.
 */
export interface Policy {
  decide(question: PolicyQuestion): Decision | Promise<Decision>
}
