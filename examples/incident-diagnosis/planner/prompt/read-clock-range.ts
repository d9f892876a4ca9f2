import { parseTime } from '../../sources/index.ts'
import { longestSeconds } from './longest-window.ts'
import type { StatedWindow } from './stated-window.ts'

const day = 86_400
// A range that crosses midnight is short; one that would have to last longer than this is written the wrong way round.
const longestOverMidnight = 12 * 3600
const date = String.raw`\d{4}-\d\d-\d\d`
const zone = String.raw`(?:\s?(Z|UTC|GMT|[+-]\d\d:?\d\d))?`
const clock = String.raw`(\d{1,2}:\d\d(?::\d\d)?)`
const separator = String.raw`\s*(?:-|–|—|~|to|until|till|and|through|至|到)\s*`
const clockRange = new RegExp(
  String.raw`(?<![\d:.T])(?:(${date})[Tt ]\s*)?${clock}${zone}${separator}(?:(${date})[Tt ]\s*)?${clock}${zone}(?![\d:])`,
  'i',
)

/**
 * The range of two times of day a text states, with or without dates; `null` when it states none. A range without dates
 * may cross midnight. A date elsewhere in the text counts for both ends.
 */
export function readClockRange(text: string): StatedWindow | null {
  const match = clockRange.exec(text)
  if (match === null) return null
  const [words, fromDate, fromClock = '', fromZone, toDate, toClock = '', toZone] = match
  const invalid = (problem: string): StatedWindow => ({ kind: 'invalid', words: words.trim(), problem })
  const from = secondsOfDay(fromClock)
  const to = secondsOfDay(toClock)
  if (from === null || to === null) return invalid(`${from === null ? fromClock : toClock} is no time of day`)
  const start = from - offsetSeconds(fromZone ?? toZone)
  const stated = to - offsetSeconds(toZone ?? fromZone)
  const startDate = fromDate ?? toDate ?? new RegExp(date).exec(text)?.[0]
  const startDay = startDate === undefined ? null : parseTime(`${startDate}T00:00:00Z`)
  const endDay = toDate === undefined ? startDay : parseTime(`${toDate}T00:00:00Z`)
  if (startDate !== undefined && (startDay === null || endDay === null)) {
    return invalid(`there is no day ${startDay === null ? startDate : (toDate ?? '')}`)
  }
  const end = (endDay ?? 0) + stated
  const begin = (startDay ?? 0) + start
  if (end === begin) return invalid('it has no length')
  const mayCross = toDate === undefined && end + day - begin <= longestOverMidnight
  if (end < begin && !mayCross) return invalid('it ends before it starts')
  const span = { start: begin, end: end < begin ? end + day : end }
  if (span.end - span.start > longestSeconds) return invalid('it is longer than a year')
  return startDay === null ? { kind: 'clock', words: words.trim(), ...span } : { kind: 'absolute', ...span }
}

/** Seconds after midnight, `null` when there is no such time; 24:00 is the end of a day. */
function secondsOfDay(text: string): number | null {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number)
  const seconds = hour * 3600 + minute * 60 + second
  return minute > 59 || second > 59 || seconds > day ? null : seconds
}

function offsetSeconds(zoneText: string | undefined): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zoneText ?? '')
  if (match === null) return 0
  const seconds = Number(match[2]) * 3600 + Number(match[3]) * 60
  return match[1] === '-' ? -seconds : seconds
}
