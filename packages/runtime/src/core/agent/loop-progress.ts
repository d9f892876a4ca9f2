import { addCost } from '../loop/run-budget.ts'
import type { Store } from '../ports/journal.ts'
import type { Usage } from '../ports/run-record.ts'
import type { RunOptions } from './agent-options.ts'
import type { Spending } from './loop-verdict.ts'
import type { RunResult } from './run-result.ts'
import type { Session } from './session.ts'

/** Where an outer loop is while one of its runs goes on or waits. */
export type LoopProgress = {
  /** Which run of the loop this is, from 1. */
  readonly loop: number
  /** What its earlier runs and every judging so far spent. */
  readonly spent: Spending
  readonly unreadableVerdicts: number
  /** For the runs to come. */
  readonly options: RunOptions & { readonly session: Session }
}

/** The beginning of a loop. */
export function firstLoop(options: LoopProgress['options']): LoopProgress {
  return { loop: 1, spent: { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 }, unreadableVerdicts: 0, options }
}

/**
 * Where a loop is that another process began, as far as its store tells: every earlier run of the conversation counts
 * as one of the loop, so that the cap is reached too early rather than never. What judging spent, which verdicts were
 * unreadable and the limits of the runs are not known any more; principal and environment are those of the run.
 */
export async function derivedLoop(store: Store, result: RunResult, session: Session): Promise<LoopProgress> {
  const runs = await store.journal.runs({ sessionId: result.sessionId })
  const run = runs.find(({ id }) => id === result.runId)
  const earlier = runs.filter(({ id, kind }) => id !== result.runId && kind === 'agent')
  const begun = firstLoop(
    run === undefined
      ? { session }
      : { session, principal: run.principal, environment: run.environment, startedWith: run.startedWith },
  )
  return { ...begun, loop: earlier.length + 1, spent: earlier.reduce(addSpending, begun.spent) }
}

/** Adds what two things spent; a cost that is not known makes the sum not known. */
export function addSpending(one: Spending, other: Spending): Spending {
  return { usage: addUsage(one.usage, other.usage), costUsd: addCost(one.costUsd, other.costUsd) }
}

function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  }
}
