import { isInForce, type JsonObject, type RuleScope, type StandingRule } from '@fairlead/runtime/core'
import { rfc3339, rfc3339OrNull } from './rfc3339.ts'

export type RuleStatus = 'in force' | 'expired' | 'revoked'

/** How a rule stands at a time. */
export function ruleStatus(rule: StandingRule, now: number): RuleStatus {
  if (isInForce(rule, now)) return 'in force'
  return rule.revokedAt === null ? 'expired' : 'revoked'
}

function scopeJson(scope: RuleScope): JsonObject {
  switch (scope.kind) {
    case 'session':
      return { kind: 'session', id: scope.sessionId }
    case 'user':
      return { kind: 'user', id: scope.principalId }
    default:
      return scope satisfies never
  }
}

/** A standing rule as `approvals rules` prints it. */
export function ruleJson(rule: StandingRule, now: number): JsonObject {
  return {
    id: rule.id,
    status: ruleStatus(rule, now),
    tool: rule.tool,
    origin: rule.origin,
    owner: rule.owner,
    arguments: rule.arguments,
    askedBy: rule.askedBy,
    scope: scopeJson(rule.scope),
    approvalId: rule.approvalId,
    createdAt: rfc3339(rule.createdAt),
    createdBy: rule.createdBy,
    expiresAt: rfc3339OrNull(rule.expiresAt),
    revokedAt: rfc3339OrNull(rule.revokedAt),
    revokedBy: rule.revokedBy,
  }
}
