/** A time as RFC 3339 states it in a zone; `fraction` stands behind the seconds. */
export function isoTime(seconds: number, utcOffsetMinutes: number, fraction = ''): string {
  const local = new Date((seconds + utcOffsetMinutes * 60) * 1000).toISOString().slice(0, 19)
  if (utcOffsetMinutes === 0) return `${local}${fraction}Z`
  const minutes = Math.abs(utcOffsetMinutes)
  const zone = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
  return `${local}${fraction}${utcOffsetMinutes < 0 ? '-' : '+'}${zone}`
}
