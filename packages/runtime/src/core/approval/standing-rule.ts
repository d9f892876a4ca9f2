import type { JsonObject } from '../json/json.ts'

/**
 * "Always approve this tool", or "with exactly these arguments", as a person said once. Bound to the tool's origin and
 * owner, so that another server's tool of the same name does not match, and to who asked: what a policy or middleware
 * asks about is not covered by what was said of the contract. Times are milliseconds since the epoch.
 */
export type StandingRule = {
  readonly id: string
  readonly tool: string
  readonly origin: string
  readonly owner: string | null
  /** The arguments it is bound to; `null` for any. No arguments (`{}`) match only a call without any. */
  readonly arguments: JsonObject | null
  /** Whose request it answers: `contract`, `policy:<rule>` or `middleware:<name>`. */
  readonly askedBy: string
  readonly scope: RuleScope
  readonly createdAt: number
  readonly createdBy: string
  /** The request it was made with. */
  readonly approvalId: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
}

/** In which calls a rule counts: those of one conversation, or all that act for one principal. */
export type RuleScope =
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'user'; readonly principalId: string }

/** True while a rule counts. */
export function isInForce(rule: StandingRule, now: number): boolean {
  return rule.revokedAt === null && (rule.expiresAt === null || now < rule.expiresAt)
}
