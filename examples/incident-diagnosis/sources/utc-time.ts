const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Seconds since the epoch of an RFC 3339 time in any zone; `null` when the text is none. */
export function parseTime(text: string): number | null {
  if (!rfc3339.test(text)) return null
  const milliseconds = Date.parse(text.replace(' ', 'T').toUpperCase())
  return Number.isNaN(milliseconds) || !isDay(text.slice(0, 10)) ? null : milliseconds / 1000
}

/** A time in seconds since the epoch as RFC 3339 in UTC, without a fraction when it has none. */
export function formatTime(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString().replace('.000Z', 'Z')
}

/** `Date.parse` takes a day that its month does not have for one of the next month. */
function isDay(date: string): boolean {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
}
