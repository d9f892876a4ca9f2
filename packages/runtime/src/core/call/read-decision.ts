import type { Decision } from '../ports/policy.ts'
import { cleanText } from './safe-error-text.ts'

const effects: readonly unknown[] = ['allow', 'ask', 'deny'] satisfies readonly Decision['effect'][]
const noRules: readonly string[] = []

/**
 * What a policy answered, as a decision; `null` for anything that is none. One that leaves `rules` out names none. A
 * policy written in JavaScript may answer anything, and what is not understood is never an allow. Throws what a getter
 * of the answer throws.
 */
export function readDecision(given: unknown): Decision | null {
  if (typeof given !== 'object' || given === null) return null
  const { effect, rules: named, reason } = given as { readonly [member: string]: unknown }
  if (!effects.includes(effect)) return null
  const rules = named ?? noRules
  if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'string')) return null
  if (reason !== undefined && reason !== null && typeof reason !== 'string') return null
  // The three were just looked at. Two literals, no spread: this is made for every call.
  return (typeof reason === 'string' ? { effect, rules, reason } : { effect, rules }) as Decision
}

/** For the host, in one line: what was answered instead of a decision, and what is expected. */
export function notADecision(given: unknown): string {
  return (
    `the policy answered ${foundText(given)}; ` +
    'expected { effect: "allow", "ask" or "deny", rules: the names of the rules that matched }'
  )
}

function foundText(given: unknown): string {
  try {
    // A function, a symbol and undefined have no JSON form.
    return cleanText((JSON.stringify(given) as string | undefined) ?? typeof given).slice(0, 120)
  } catch {
    return typeof given
  }
}
