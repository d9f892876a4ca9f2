import { parseTime } from '../../sources/index.ts'

/**
 * A time window as a prompt states it. `absolute` is complete, in seconds since the epoch; `clock` has times of day
 * (seconds after midnight UTC, possibly of the day before or after) without a date; `recent` is a length in seconds.
 */
export type StatedWindow =
  | { readonly kind: 'absolute'; readonly start: number; readonly end: number }
  | { readonly kind: 'clock'; readonly start: number; readonly end: number }
  | { readonly kind: 'recent'; readonly seconds: number }

/** A span in seconds since the epoch. */
export type Window = { readonly start: number; readonly end: number }

const day = 86_400
const date = String.raw`\d{4}-\d\d-\d\d`
const zone = String.raw`(?:\s?(Z|UTC|GMT|[+-]\d\d:?\d\d))?`
const clock = String.raw`([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?`
const rfc3339 = new RegExp(String.raw`${date}[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)`, 'g')
const separator = String.raw`\s*(?:-|–|—|~|to|until|till|and|through|至|到)\s*`
const clockRange = new RegExp(
  String.raw`(?<![\d:.T])(?:(${date})[T ]\s*)?${clock}${zone}${separator}(?:${date}[T ]\s*)?${clock}${zone}(?![\d:])`,
  'i',
)
const recent = /\b(?:last|past|previous)\s+(\d+|an?|one)?\s*(minutes?|mins?|hours?|hrs?|h)\b/i

/** The window a text states, `null` when it states none. Times without a zone are UTC. */
export function readWindow(text: string): StatedWindow | null {
  return absoluteWindow(text) ?? clockWindow(text) ?? recentWindow(text)
}

/** Places a stated window in time, by what is known of the alert; `null` when that needs an alert and there is none. */
export function placeWindow(
  stated: StatedWindow | null,
  alert: { readonly startedAt: number; readonly window: Window } | null,
): Window | null {
  if (stated === null) return alert?.window ?? null
  switch (stated.kind) {
    case 'absolute':
      return { start: stated.start, end: stated.end }
    case 'clock':
      return alert === null ? null : nearest(stated, alert.startedAt)
    case 'recent':
      return alert === null ? null : { start: alert.window.end - stated.seconds, end: alert.window.end }
    default:
      return stated satisfies never
  }
}

function absoluteWindow(text: string): StatedWindow | null {
  const times = [...text.matchAll(rfc3339)].flatMap(([found]) => parseTime(found) ?? [])
  const [first, second] = times
  if (first === undefined || second === undefined || first === second) return null
  return { kind: 'absolute', start: Math.min(first, second), end: Math.max(first, second) }
}

function clockWindow(text: string): StatedWindow | null {
  const match = clockRange.exec(text)
  if (match === null) return null
  const [, ownDate, fromHour, fromMinute, fromSecond, fromZone, toHour, toMinute, toSecond, toZone] = match
  const startOffset = offsetSeconds(fromZone ?? toZone)
  const start = secondsOfDay(fromHour, fromMinute, fromSecond) - startOffset
  const stated = secondsOfDay(toHour, toMinute, toSecond) - offsetSeconds(toZone ?? fromZone)
  const end = stated > start ? stated : stated + day
  const writtenDate = ownDate ?? new RegExp(date).exec(text)?.[0]
  const midnight = writtenDate === undefined ? null : parseTime(`${writtenDate}T00:00:00Z`)
  return midnight === null
    ? { kind: 'clock', start, end }
    : { kind: 'absolute', start: midnight + start, end: midnight + end }
}

function recentWindow(text: string): StatedWindow | null {
  const match = recent.exec(text)
  if (match === null) return null
  const amount = match[1] === undefined || !/^\d+$/.test(match[1]) ? 1 : Number(match[1])
  const unit = /^m/i.test(match[2] ?? '') ? 60 : 3600
  return amount === 0 ? null : { kind: 'recent', seconds: amount * unit }
}

function secondsOfDay(hour: string | undefined, minute: string | undefined, second: string | undefined): number {
  return Number(hour ?? 0) * 3600 + Number(minute ?? 0) * 60 + Number(second ?? 0)
}

function offsetSeconds(zoneText: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zoneText ?? '')
  if (match === null) return 0
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60
  return match[1] === '-' ? -seconds : seconds
}

function nearest(stated: { readonly start: number; readonly end: number }, anchor: number): Window {
  const midnight = Math.floor(anchor / day) * day
  const distance = (window: Window) => Math.max(0, window.start - anchor, anchor - window.end)
  return [0, -1, 1]
    .map((shift) => ({ start: midnight + shift * day + stated.start, end: midnight + shift * day + stated.end }))
    .reduce((best, each) => (distance(each) < distance(best) ? each : best))
}
