import type { CallRecord, Principal } from '../call/call-record.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { JsonObject } from '../json/json.ts'
import type { RuleStore } from '../ports/journal.ts'
import type { Clock } from '../ports/clock.ts'
import type { ToolContract } from '../tool/contract.ts'
import type { Approval } from './approval.ts'
import { isInForce, type StandingRule } from './standing-rule.ts'

/** A request as an auto-approval rule sees it, before any person does. */
export type AutoApprovalRequest = {
  readonly call: CallRecord
  readonly contract: ToolContract
  readonly arguments: JsonObject
  readonly agent: string
  readonly session: { readonly id: string }
  readonly principal: Principal
  readonly environment: string
  /** Who asks beyond the tool's own contract, a policy or middleware, and why; only told to rules that see violations. */
  readonly violation: { readonly askedBy: string; readonly reason: string | null } | null
}

/**
 * Approves a request in a person's place by answering `true`; anything else, an exception included, asks the person.
 * What a policy or middleware asks about is only put to rules marked with {@link seesViolations}.
 */
export type AutoApprovalRule = ((request: AutoApprovalRequest) => boolean | Promise<boolean>) & {
  readonly seesViolations?: boolean
}

/** A rule that also judges what a policy or middleware asks about. */
export function seesViolations(rule: AutoApprovalRule): AutoApprovalRule {
  return Object.assign((request: AutoApprovalRequest) => rule(request), { seesViolations: true as const })
}

/** Ready rules. */
export const autoApprove: { readonly readOnly: AutoApprovalRule; readonly all: AutoApprovalRule } = {
  /** Calls of tools that declare `effects: 'read'`. */
  readOnly: ({ contract }) => contract.effects === 'read',
  /** Every call whose contract asks. For trusted environments only: nobody is asked any more. */
  all: () => true,
}

/** Says who approves a request without a person (`rule:<id>` or `auto:<name>`), or `null` when a person is asked. */
export type Consult = (
  approval: Approval,
  call: CallRecord,
  contract: ToolContract,
) => Promise<{ readonly by: string } | null>

/** True for consent that a rule gave in a person's place; no person is named like one. */
export function isByRule(decidedBy: string | null): boolean {
  return decidedBy !== null && /^(?:rule|auto):/.test(decidedBy)
}

export type ConsultSetting = {
  readonly rules: RuleStore
  readonly clock: Clock
  readonly agent: string
  readonly standingRules: boolean
  readonly autoApprove: readonly AutoApprovalRule[]
}

/** Standing rules first, then auto-approval rules in order; the first that approves wins. Never rejects for a rule. */
export function consultRules(setting: ConsultSetting): Consult {
  return async (approval, call, contract) => {
    // A call shown only because another one of its turn waits was approved by policy already.
    if (approval.askedBy === 'batch') return null
    if (setting.standingRules) {
      const now = setting.clock.now()
      const rules = await setting.rules.list({ tool: approval.tool })
      const rule = rules.find((known) => isInForce(known, now) && covers(known, approval))
      if (rule !== undefined) return { by: `rule:${rule.id}` }
    }
    const isViolation = approval.askedBy !== 'contract'
    for (const [index, rule] of setting.autoApprove.entries()) {
      if (isViolation && rule.seesViolations !== true) continue
      if (await approves(rule, requestOf(approval, call, contract, setting.agent))) {
        return { by: `auto:${rule.name === '' ? index + 1 : rule.name}` }
      }
    }
    return null
  }
}

function requestOf(approval: Approval, call: CallRecord, contract: ToolContract, agent: string): AutoApprovalRequest {
  return {
    call,
    contract,
    arguments: approval.arguments,
    agent,
    session: { id: approval.sessionId },
    principal: call.principal,
    environment: call.environment,
    violation: approval.askedBy === 'contract' ? null : { askedBy: approval.askedBy, reason: approval.askReason },
  }
}

async function approves(rule: AutoApprovalRule, request: AutoApprovalRequest): Promise<boolean> {
  try {
    return (await rule(request)) === true
  } catch {
    return false
  }
}

/** Same tool of the same origin and owner, asked about by the same, in the rule's scope, with its arguments. */
function covers(rule: StandingRule, approval: Approval): boolean {
  if (rule.tool !== approval.tool || rule.origin !== approval.origin || rule.owner !== approval.owner) return false
  if (rule.askedBy !== approval.askedBy) return false
  const inScope =
    rule.scope.kind === 'session'
      ? rule.scope.sessionId === approval.sessionId
      : rule.scope.principalId === approval.principalId
  if (!inScope) return false
  return rule.arguments === null || canonicalJson(rule.arguments) === canonicalJson(approval.arguments)
}
