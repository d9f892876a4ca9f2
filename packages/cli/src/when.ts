import { usageFailure } from './exit.ts'

const units: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const timeOfDay = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** The latest time a date can hold. */
const latest = 8_640_000_000_000_000

/** A time to come, in milliseconds since the epoch: RFC 3339 with its offset, or how long from `now`, as `30m`, `8h` or `7d`. */
export function whenOption(option: string, text: string, now: number): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? []
  const size = unit === undefined ? undefined : units[unit]
  const at = size === undefined ? timeOf(text) : now + Number(count) * size
  if (Number.isNaN(at) || at > latest) {
    throw usageFailure(
      `${option} expects a duration such as 30m, 8h or 7d, or a time such as 2026-01-31T18:00:00Z; found "${text}".`,
    )
  }
  if (at <= now) throw usageFailure(`${option} expects a time to come; "${text}" is over.`)
  return at
}

function timeOf(text: string): number {
  const [, date] = timeOfDay.exec(text) ?? []
  // Of the 30th of February JavaScript makes a day in March.
  if (date === undefined || !isDate(date)) return Number.NaN
  return Date.parse(text)
}

function isDate(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
