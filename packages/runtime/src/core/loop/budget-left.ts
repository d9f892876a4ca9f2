import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'

/** What a run may still spend, by its own limits and its conversation's; `null` where there is none. */
export function budgetLeft(setup: LoopSetup): {
  readonly maxTokens: number | null
  readonly maxCostUsd: number | null
} {
  const { writer, limits, sessionLimits, spent } = setup
  const { usage, usageKnown, costUsd } = writer.run
  const tokens = usageKnown ? usage.inputTokens + usage.outputTokens : null
  return {
    maxTokens: least(rest(limits.maxTokens, tokens), rest(sessionLimits.maxTokens, addCost(spent.tokens, tokens)), 1),
    maxCostUsd: least(
      rest(limits.maxCostUsd, costUsd),
      rest(sessionLimits.maxCostUsd, addCost(spent.costUsd, costUsd)),
      Number.MIN_VALUE,
    ),
  }
}

/** What is not known counts as over the limit. */
function rest(limit: number | null, used: number | null): number | null {
  return limit === null ? null : limit - (used ?? limit)
}

/** The smaller of two rests, but never none at all: a limit is a positive number, and the inner run finds it reached. */
function least(one: number | null, other: number | null, atLeast: number): number | null {
  if (one === null && other === null) return null
  return Math.max(atLeast, Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY))
}
