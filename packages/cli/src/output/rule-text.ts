import type { StandingRule } from '@fairlead/runtime/core'
import { relativeTime } from './relative-time.ts'
import { rfc3339 } from './rfc3339.ts'
import { ruleStatus } from './rule-json.ts'
import { visibleLine } from './visible-text.ts'

/** Which calls a rule approves, where, and until when, in a sentence without its end. */
export function ruleText(rule: StandingRule, now: number): string {
  const { scope } = rule
  const which = rule.arguments === null ? 'any call of' : 'calls with exactly these arguments of'
  const where = scope.kind === 'session' ? 'in this conversation' : `for ${visibleLine(scope.principalId)}`
  const until =
    rule.expiresAt === null ? '' : ` until ${rfc3339(rule.expiresAt)} (${relativeTime(rule.expiresAt, now)})`
  return `${which} ${visibleLine(rule.tool)} ${where}${until}`
}

/** How long a rule stands, or what ended it. */
export function ruleEndText(rule: StandingRule, now: number): string {
  const status = ruleStatus(rule, now)
  switch (status) {
    case 'in force':
      return rule.expiresAt === null
        ? 'until it is revoked'
        : `until ${rfc3339(rule.expiresAt)} (${relativeTime(rule.expiresAt, now)})`
    case 'expired':
      return `expired at ${rfc3339(rule.expiresAt ?? now)}`
    case 'revoked':
      return `revoked by ${visibleLine(rule.revokedBy ?? 'nobody')} at ${rfc3339(rule.revokedAt ?? now)}`
    default:
      return status satisfies never
  }
}
