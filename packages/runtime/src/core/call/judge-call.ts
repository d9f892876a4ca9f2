import type { Policy, PolicyQuestion } from '../ports/policy.ts'
import { isThenable, whenReady } from './maybe-promise.ts'
import { notADecision, readDecision } from './read-decision.ts'
import { thrownText } from './thrown.ts'

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
  /** The rules could not be evaluated: the call does not run. `because` is for the host only. */
  | { readonly kind: 'error'; readonly rules: readonly string[]; readonly because: string }

/** Asks policy, then the contract's own `needsApproval`. An exception in either is an `error`, never an allow. */
export function judgeCall(policy: Policy | null, question: PolicyQuestion): Judgement | Promise<Judgement> {
  if (policy === null) return judgeContract(noRules, question)
  try {
    const decision: unknown = policy.decide(question)
    return isThenable(decision) ? judgeLater(decision, question) : judgeDecision(decision, question)
  } catch (error) {
    return policyThrew(error)
  }
}

const noRules: readonly string[] = []

async function judgeLater(deciding: PromiseLike<unknown>, question: PolicyQuestion): Promise<Judgement> {
  let decision: unknown
  try {
    decision = await deciding
  } catch (error) {
    return policyThrew(error)
  }
  return judgeDecision(decision, question)
}

function judgeDecision(given: unknown, question: PolicyQuestion): Judgement | Promise<Judgement> {
  const decision = decisionFrom(given)
  if (typeof decision === 'string') return failed(decision)
  const { rules } = decision
  switch (decision.effect) {
    case 'deny':
      return { kind: 'deny', rules, reason: decision.reason ?? null }
    case 'ask':
      return { kind: 'ask', rules, askedBy: `policy:${rules[0] ?? 'default'}`, reason: decision.reason ?? null }
    case 'allow':
      return judgeContract(rules, question)
    default:
      return decision satisfies never
  }
}

/** The decision, or in words what is none of it. */
function decisionFrom(given: unknown): NonNullable<ReturnType<typeof readDecision>> | string {
  try {
    return readDecision(given) ?? notADecision(given)
  } catch (error) {
    return `the policy answered what cannot be read: ${thrownText(error)}`
  }
}

function judgeContract(rules: readonly string[], question: PolicyQuestion): Judgement | Promise<Judgement> {
  try {
    const judged = whenReady(contractAsks(question), (asks): Judgement =>
      asks ? { kind: 'ask', rules, askedBy: 'contract', reason: null } : { kind: 'allow', rules },
    )
    return judged instanceof Promise ? judged.catch(contractThrew) : judged
  } catch (error) {
    return contractThrew(error)
  }
}

function contractAsks({ tool, arguments: args }: PolicyQuestion): boolean | Promise<boolean> {
  const { needsApproval } = tool
  if (typeof needsApproval !== 'function') return needsApproval !== false
  // Anything but a plain `false` asks: an answer nobody understands is no consent.
  return whenReady(needsApproval({ tool: tool.name, arguments: args }), (asks) => asks !== false)
}

function policyThrew(error: unknown): Judgement {
  return failed(`the policy threw: ${thrownText(error)}`)
}

function contractThrew(error: unknown): Judgement {
  return failed(`needsApproval threw: ${thrownText(error)}`)
}

function failed(because: string): Judgement {
  return { kind: 'error', rules: noRules, because }
}
