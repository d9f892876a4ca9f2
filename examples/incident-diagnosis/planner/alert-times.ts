import { parseTime } from '../sources/index.ts'
import { alertResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { readOutcome } from './facts/read-outcome.ts'
import { longestSeconds } from './prompt/longest-window.ts'
import type { AlertTimes } from './prompt/place-window.ts'

/** When an alert started and which window it asks to examine, in seconds; `null` when there is no readable alert, or one whose window is empty or over a year. */
export function alertTimes(outcome: Outcome): AlertTimes | null {
  const reading = readOutcome(outcome, alertResult)
  const alert = reading.kind === 'read' ? reading.read.value.alert : null
  if (alert === null) return null
  const startedAt = parseTime(alert.startedAt)
  const start = parseTime(alert.window.start)
  const end = parseTime(alert.window.end)
  if (startedAt === null || start === null || end === null) return null
  return end <= start || end - start > longestSeconds ? null : { startedAt, window: { start, end } }
}
