import type { ChatResponse } from '../chat/chat-client.ts'
import type { RunPatch } from './run-patch.ts'
import type { RunRecord, Usage } from '../ports/run-record.ts'
import type { LoopLimits } from './loop-limits.ts'
import type { StopReason } from './stop-reason.ts'

/** What a conversation spent before this run; limits of the conversation count it in. */
export type Spent = { readonly tokens: number | null; readonly costUsd: number | null }

/** Limits of a whole conversation. `null` is no limit. */
export type SessionLimits = { readonly maxTokens: number | null; readonly maxCostUsd: number | null }

/** The price of a model turn in US dollars, or `null` when it is not known. */
export type Price = (usage: Usage, model: string) => number | null

/**
 * What a turn adds to the run's record. `asked`: the turns of the model it took, where middleware made that none or
 * several. Numbers that are none are not known, never zero.
 */
export function chargeTurn(
  run: RunRecord,
  response: ChatResponse,
  price: (usage: Usage) => number | null,
  asked?: readonly ChatResponse[],
): RunPatch {
  let { costUsd, usageKnown, usage } = run
  // Written out: the common turn must not make a list for itself.
  const count = asked === undefined ? 1 : asked.length
  for (let index = 0; index < count; index++) {
    const turn = asked?.[index] ?? response
    const used = knownUsage(turn.usage)
    costUsd = addCost(costUsd, amount(turn.costUsd) ?? (used === null ? null : priceOf(used, price)))
    usageKnown = usageKnown && used !== null
    if (used !== null) {
      usage = {
        inputTokens: usage.inputTokens + used.inputTokens,
        outputTokens: usage.outputTokens + used.outputTokens,
      }
    }
  }
  return {
    turns: run.turns + 1,
    conversationId: response.conversationId ?? null,
    costUsd,
    ignoredParts: run.ignoredParts + (amount(response.ignoredParts) ?? 0),
    usageKnown,
    usage,
  }
}

function knownUsage(usage: Usage | undefined): Usage | null {
  const inputTokens = amount(usage?.inputTokens)
  const outputTokens = amount(usage?.outputTokens)
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens }
}

function amount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

function priceOf(usage: Usage, price: (usage: Usage) => number | null): number | null {
  try {
    return amount(price(usage))
  } catch {
    return null
  }
}

/** Adds an amount; what is not known makes the sum not known, never smaller. */
export function addCost(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more
}

/** What a conversation's earlier runs spent. */
export function spentBy(runs: readonly RunRecord[]): Spent {
  return runs.reduce<Spent>(
    (sum, run) => ({
      tokens: run.usageKnown ? addCost(sum.tokens, run.usage.inputTokens + run.usage.outputTokens) : null,
      costUsd: addCost(sum.costUsd, run.costUsd),
    }),
    { tokens: 0, costUsd: 0 },
  )
}

/** Which limit a run has reached, in the order in which they are named to people; `null` while it may go on. */
export function reachedLimit(question: {
  readonly run: RunRecord
  readonly limits: LoopLimits
  readonly session: SessionLimits
  readonly spent: Spent
  readonly errorStreak: number
  readonly workedMs: number
}): { readonly reason: StopReason; readonly because: string } | null {
  const { run, limits, session, spent, errorStreak, workedMs } = question
  if (run.turns >= limits.maxIterations) return { reason: 'iteration_limit', because: `${run.turns} model turns` }
  if (limits.maxFunctionCalls !== null && run.calls >= limits.maxFunctionCalls.limit) {
    return { reason: 'call_limit', because: `${run.calls} calls` }
  }
  if (errorStreak > 0 && errorStreak >= limits.maxConsecutiveErrors) {
    return { reason: 'error_limit', because: `${errorStreak} batches with failed calls in a row` }
  }
  const tokens = run.usage.inputTokens + run.usage.outputTokens
  const budget =
    tokenBudget('run', run.usageKnown ? tokens : null, limits.maxTokens) ??
    tokenBudget('conversation', run.usageKnown ? addCost(spent.tokens, tokens) : null, session.maxTokens) ??
    costBudget('run', run.costUsd, limits.maxCostUsd) ??
    costBudget('conversation', addCost(spent.costUsd, run.costUsd), session.maxCostUsd) ??
    (limits.deadlineMs !== null && workedMs >= limits.deadlineMs ? `${workedMs} ms of work` : null)
  return budget === null ? null : { reason: 'budget_limit', because: budget }
}

function tokenBudget(of: string, tokens: number | null, limit: number | null): string | null {
  if (limit === null) return null
  if (tokens === null) return `the tokens of the ${of} are not known, so their limit cannot be kept`
  return tokens >= limit ? `${tokens} tokens of the ${of}` : null
}

function costBudget(of: string, cost: number | null, limit: number | null): string | null {
  if (limit === null) return null
  if (cost === null) return `the cost of the ${of} is not known, so its limit cannot be kept`
  return cost >= limit ? `${cost} US dollars of the ${of}` : null
}
