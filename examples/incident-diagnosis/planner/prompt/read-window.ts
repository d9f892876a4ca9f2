import { parseTime } from '../../sources/index.ts'
import { longestSeconds } from './longest-window.ts'
import { readClockRange } from './read-clock-range.ts'
import type { StatedWindow } from './stated-window.ts'

const instant = /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-](?:0\d|1[0-4]):\d\d)/g
const twelveHours =
  /\b\d{1,2}(?::\d\d)?\s*[ap]\.?m\b\.?\s*(?:-|–|—|~|to|until|till|and|through)\s*\d{1,2}(?::\d\d)?\s*[ap]\.?m\b/i
const recent = /\b(?:last|past|previous)\s+(-?\d+(?:\.\d+)?|an?|one)?\s*(minutes?|mins?|hours?|hrs?|h|days?)\b/i

/** The window a text states, `null` when it states none. Times without a zone are UTC. */
export function readWindow(text: string): StatedWindow | null {
  return absoluteWindow(text) ?? readClockRange(text) ?? twelveHourWindow(text) ?? recentWindow(text)
}

function absoluteWindow(text: string): StatedWindow | null {
  const [first, second] = Array.from(text.matchAll(instant), ([found]) => found)
  // One alone may be a date with a range of times of day, whose second half looks like a zone.
  if (first === undefined || (second === undefined && first.includes(' '))) return null
  const start = parseTime(first)
  if (start === null) return { kind: 'invalid', words: first, problem: 'there is no such time' }
  if (second === undefined) return null
  const end = parseTime(second)
  if (end === null) return { kind: 'invalid', words: second, problem: 'there is no such time' }
  const words = `${first} to ${second}`
  if (end === start) return { kind: 'invalid', words, problem: 'it has no length' }
  if (end < start) return { kind: 'invalid', words, problem: 'it ends before it starts' }
  if (end - start > longestSeconds) return { kind: 'invalid', words, problem: 'it is longer than a year' }
  return { kind: 'absolute', start, end }
}

function twelveHourWindow(text: string): StatedWindow | null {
  const words = twelveHours.exec(text)?.[0]
  return words === undefined ? null : { kind: 'invalid', words, problem: 'times are read in the 24-hour form only' }
}

function recentWindow(text: string): StatedWindow | null {
  const match = recent.exec(text)
  if (match === null) return null
  const [words, amountText, unitText] = match
  const amount = amountText === undefined || /^[ao]/i.test(amountText) ? 1 : Number(amountText)
  const seconds = Math.round(amount * secondsOfUnit(unitText ?? ''))
  if (seconds <= 0) return { kind: 'invalid', words, problem: 'it has no length' }
  if (seconds > longestSeconds) return { kind: 'invalid', words, problem: 'it is longer than a year' }
  return { kind: 'recent', words, seconds }
}

function secondsOfUnit(unit: string): number {
  return /^m/i.test(unit) ? 60 : /^d/i.test(unit) ? 86_400 : 3600
}
