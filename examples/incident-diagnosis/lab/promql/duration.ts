const form = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/

const unitMilliseconds = [365 * 86_400_000, 7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000, 1] as const

/** Reads a Prometheus duration such as `5m`, `1h30m` or `500ms` (units fall in size) as milliseconds; gives undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const found = form.exec(text)
  if (found === null || text === '') return undefined
  return unitMilliseconds.reduce((total, unit, index) => total + Number(found[index + 1] ?? 0) * unit, 0)
}
