import type { JsonObject } from '@fairlead/runtime'
import { formatTime, parseTime } from '../sources/index.ts'
import { longestStepSeconds } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import type { PlannedCall } from './planned-call.ts'
import type { Window } from './prompt/stated-window.ts'

const mostHalvings = 2
const mostCoarsenings = 3
const shortestSeconds = 300
/** Of a shortened window the part before the moment of interest: an onset lies some minutes before its alert. */
const shareBefore = 0.6

/** How often one call is attempted at most, the first attempt included. */
export const mostAttempts: number = 1 + mostHalvings + mostCoarsenings

/** How the last attempt of a call differs from the call that was wanted first. */
export type Adaptation = { readonly call: PlannedCall; readonly halvings: number; readonly coarsenings: number }

/** What became of wanted calls: which are still to be proposed, the final outcomes by the wanted ids, and what was changed. */
export type AdaptedCalls = {
  readonly open: readonly PlannedCall[]
  readonly settled: ReadonlyMap<string, Outcome>
  readonly adaptations: readonly Adaptation[]
}

/**
 * Follows every wanted call through its attempts. After `TIMEOUT` it is asked for half the window around `moment`
 * (seconds; the end of the window when `null`), at most twice; after `RESULT_TOO_LARGE` for twice the step, at most three
 * times, or for half the window where there is no step. Any other end is final. No attempt repeats another.
 */
export function adaptCalls(
  wanted: readonly PlannedCall[],
  outcomes: ReadonlyMap<string, Outcome>,
  moment: number | null,
): AdaptedCalls {
  const open: PlannedCall[] = []
  const settled = new Map<string, Outcome>()
  const adaptations: Adaptation[] = []
  for (const first of wanted) {
    let last: Adaptation = { call: first, halvings: 0, coarsenings: 0 }
    for (;;) {
      const outcome = outcomes.get(last.call.id)
      const next = outcome === undefined ? null : nextAttempt(last, outcome, { first, moment })
      if (outcome === undefined) open.push(last.call)
      else if (next === null) settled.set(first.id, outcome)
      if (next === null) break
      last = next
    }
    if (last.call !== first) adaptations.push(last)
  }
  return { open, settled, adaptations }
}

function nextAttempt(
  last: Adaptation,
  outcome: Outcome,
  given: { readonly first: PlannedCall; readonly moment: number | null },
): Adaptation | null {
  if (outcome.kind !== 'failure') return null
  const { halvings, coarsenings } = last
  const step = last.call.arguments['step_seconds']
  if (outcome.code === 'RESULT_TOO_LARGE' && typeof step === 'number') {
    if (coarsenings === mostCoarsenings || step * 2 > longestStepSeconds) return null
    return attempt(given.first, { step_seconds: step * 2 }, { ...last, coarsenings: coarsenings + 1 })
  }
  if (outcome.code !== 'TIMEOUT' && outcome.code !== 'RESULT_TOO_LARGE') return null
  const window = windowOf(last.call)
  if (halvings === mostHalvings || window === null || window.end - window.start < 2 * shortestSeconds) return null
  const half = halfOf(window, given.moment)
  const range = { start_time: formatTime(half.start), end_time: formatTime(half.end) }
  return attempt(given.first, range, { ...last, halvings: halvings + 1 })
}

function attempt(first: PlannedCall, changed: JsonObject, last: Adaptation): Adaptation {
  const { call, halvings, coarsenings } = last
  const id = `${first.id}:window-${halvings}:step-${coarsenings}`
  return { call: { ...call, id, arguments: { ...call.arguments, ...changed } }, halvings, coarsenings }
}

/** The span a call asks about, in seconds; `null` when it asks about none. */
export function windowOf(call: PlannedCall): Window | null {
  const start = parseTime(textOf(call.arguments['start_time']))
  const end = parseTime(textOf(call.arguments['end_time']))
  return start === null || end === null ? null : { start, end }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function halfOf({ start, end }: Window, moment: number | null): Window {
  const length = Math.floor((end - start) / 2)
  const wanted = Math.floor((moment ?? end) - length * shareBefore)
  const from = Math.min(end - length, Math.max(start, wanted))
  return { start: from, end: from + length }
}
