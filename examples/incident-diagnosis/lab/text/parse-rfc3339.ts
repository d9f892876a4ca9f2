const form = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Reads an RFC 3339 time of any zone as nanoseconds since 1970, exactly; gives undefined for any other text and for dates that do
 * not exist. At most nine fractional digits.
 */
export function parseRfc3339(text: string): bigint | undefined {
  const found = form.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = found
  const civil = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)] as const
  const milliseconds = Date.UTC(civil[0], civil[1] - 1, civil[2], civil[3], civil[4], civil[5])
  if (!sameCivilTime(new Date(milliseconds), civil) || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) {
    return undefined
  }
  const zoneSeconds = (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60) * (sign === '-' ? -1 : 1)
  return BigInt(milliseconds - zoneSeconds * 1000) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

function sameCivilTime(
  date: Date,
  [year, month, day, hour, minute, second]: readonly [number, number, number, number, number, number],
): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  )
}
