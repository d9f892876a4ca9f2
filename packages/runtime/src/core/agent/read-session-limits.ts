import type { SessionLimits } from '../loop/run-budget.ts'
import { positive, type OptionCheck } from '../options/option-check.ts'
import { requireKnown } from '../options/require-known.ts'

const checks: { readonly [Limit in keyof SessionLimits]: OptionCheck } = {
  maxTokens: (value) => (value === null ? null : positive(value)),
  maxCostUsd: (value) => (value === null ? null : positive(value)),
}

/** The limits of a conversation; none where nothing is written. Throws `INVALID_OPTION` for what would be no limit. */
export function readSessionLimits(given: Partial<SessionLimits> = {}): SessionLimits {
  requireKnown(given, { code: 'INVALID_OPTION', of: 'sessionLimits: ', what: "a conversation's limits", checks })
  return { maxTokens: given.maxTokens ?? null, maxCostUsd: given.maxCostUsd ?? null }
}
