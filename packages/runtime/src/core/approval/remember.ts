import { lastTime } from './last-time.ts'
import type { Approval } from './approval.ts'
import type { RuleScope, StandingRule } from './standing-rule.ts'

/** How an approval is remembered. */
export type Remember = {
  /** Any call of this tool, or only calls with exactly these arguments. */
  readonly what: 'tool' | 'arguments'
  /** Calls of this conversation (the default), or all calls that act for this principal. */
  readonly scope?: 'session' | 'user'
  /** Milliseconds since the epoch; default: until it is revoked. */
  readonly expiresAt?: number
}

/** The rule an approval is remembered by, or why it cannot be. */
export function standingRuleFrom(
  approval: Approval,
  remember: Remember,
  setting: { readonly id: string; readonly at: number },
): { readonly kind: 'rule'; readonly rule: StandingRule } | { readonly kind: 'invalid'; readonly because: string } {
  const { what, scope = 'session', expiresAt = null } = remember as { readonly [Key in keyof Remember]?: unknown }
  // It is shown for its neighbours' sake: nobody would ever look for the rule.
  if (approval.askedBy === 'batch')
    return invalid('this call needs no approval of its own: there is nothing to remember')
  if (what !== 'tool' && what !== 'arguments') return invalid('remember.what must be "tool" or "arguments"')
  if (scope !== 'session' && scope !== 'user') return invalid('remember.scope must be "session" or "user"')
  if (
    expiresAt !== null &&
    (!Number.isSafeInteger(expiresAt) || Number(expiresAt) <= setting.at || Number(expiresAt) > lastTime)
  ) {
    return invalid('remember.expiresAt must be a time to come, in milliseconds since the epoch, before the year 10000')
  }
  const ends = expiresAt === null ? null : Number(expiresAt)
  const ruleScope: RuleScope =
    scope === 'session'
      ? { kind: 'session', sessionId: approval.sessionId }
      : { kind: 'user', principalId: approval.principalId }
  const { id, at } = setting
  return {
    kind: 'rule',
    rule: {
      id,
      tool: approval.tool,
      origin: approval.origin,
      owner: approval.owner,
      arguments: what === 'arguments' ? (approval.edited?.arguments ?? approval.arguments) : null,
      askedBy: approval.askedBy,
      scope: ruleScope,
      createdAt: at,
      createdBy: approval.decidedBy ?? '',
      approvalId: approval.id,
      expiresAt: ends,
      revokedAt: null,
      revokedBy: null,
    },
  }
}

function invalid(because: string): { readonly kind: 'invalid'; readonly because: string } {
  return { kind: 'invalid', because }
}
