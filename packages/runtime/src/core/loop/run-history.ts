import type { CallRecord } from '../call/call-record.ts'
import { ToolCounters } from '../tool/tool-counters.ts'
import type { Tool } from '../tool/tool.ts'
import { countsAsError } from './settle-batch.ts'

/** What a run's finished calls say for its limits, so that a resumed run goes on where it was. */
export type RunHistory = { readonly counters: Map<ToolCounters, ToolCounters>; readonly errorStreak: number }

const unlimited = { maxInvocations: null, maxInvocationExceptions: null }

/** Counts the calls of earlier turns again: per tool, and the batches with a failure at their end. */
export function readHistory(
  calls: readonly CallRecord[],
  openTurn: number,
  tools: ReadonlyMap<string, Tool>,
): RunHistory {
  const counters = new Map<ToolCounters, ToolCounters>()
  const failedTurns = new Map<number, boolean>()
  for (const call of calls) {
    const tool = tools.get(call.tool)
    if (tool !== undefined && call.attempts > 0) {
      const known = counters.get(tool.counters) ?? new ToolCounters()
      counters.set(tool.counters, known)
      known.admit(unlimited)
      if (call.result?.status === 'error') known.countException()
    }
    if (call.turn < openTurn) failedTurns.set(call.turn, failedTurns.get(call.turn) === true || countsAsError(call))
  }
  let errorStreak = 0
  for (const turn of [...failedTurns.keys()].toSorted((a, b) => b - a)) {
    if (failedTurns.get(turn) !== true) break
    errorStreak++
  }
  return { counters, errorStreak }
}
