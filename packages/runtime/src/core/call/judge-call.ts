import type { JsonObject } from '../json/json.ts'
import type { Decision, Policy, PolicyQuestion } from '../ports/policy.ts'
import type { ToolContract } from '../tool/contract.ts'
import { whenReady } from './maybe-promise.ts'

/** The verdict on a call: policy and contract together, the stricter one wins. */
export type Judgement =
  | { readonly kind: 'allow'; readonly rules: readonly string[] }
  | {
      readonly kind: 'ask'
      readonly rules: readonly string[]
      readonly askedBy: string
      readonly reason: string | null
    }
  | { readonly kind: 'deny'; readonly rules: readonly string[]; readonly reason: string | null }
  /** The rules could not be evaluated: the call does not run. */
  | { readonly kind: 'error'; readonly rules: readonly string[] }

/** Asks policy, then the contract's own `needsApproval`. An exception in either is an `error`, never an allow. */
export function judgeCall(policy: Policy | null, question: PolicyQuestion): Judgement | Promise<Judgement> {
  try {
    const decision: Decision | Promise<Decision> = policy === null ? allowed : policy.decide(question)
    const judged = whenReady(decision, (known) => judgeDecision(known, question.tool, question.arguments))
    return judged instanceof Promise ? judged.catch(() => failed) : judged
  } catch {
    return failed
  }
}

const allowed: Decision = { effect: 'allow', rules: [] }
const failed: Judgement = { kind: 'error', rules: [] }

function judgeDecision(decision: Decision, tool: ToolContract, args: JsonObject): Judgement | Promise<Judgement> {
  switch (decision.effect) {
    case 'deny':
      return { kind: 'deny', rules: decision.rules, reason: decision.reason ?? null }
    case 'ask':
      return {
        kind: 'ask',
        rules: decision.rules,
        askedBy: `policy:${decision.rules[0] ?? 'default'}`,
        reason: decision.reason ?? null,
      }
    case 'allow':
      return whenReady(contractAsks(tool, args), (asks): Judgement =>
        asks
          ? { kind: 'ask', rules: decision.rules, askedBy: 'contract', reason: null }
          : { kind: 'allow', rules: decision.rules },
      )
    default:
      // A policy written in JavaScript may answer anything; what is not understood is not allowed.
      return failed
  }
}

function contractAsks(tool: ToolContract, args: JsonObject): boolean | Promise<boolean> {
  const { needsApproval } = tool
  if (typeof needsApproval !== 'function') return needsApproval !== false
  // Anything but a plain `false` asks: an answer nobody understands is no consent.
  return whenReady(needsApproval({ tool: tool.name, arguments: args }), (asks) => asks !== false)
}
