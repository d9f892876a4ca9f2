const units: readonly (readonly [name: string, milliseconds: number])[] = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
]

/** How far away a time is, roughly, as a person says it: `in 24 h`. Times that have come are `now`. */
export function relativeTime(at: number, now: number): string {
  const left = at - now
  if (left <= 0) return 'now'
  for (const [name, size] of units) {
    const count = Math.round(left / size)
    if (count >= (name === 'days' ? 3 : 1)) return `in ${count} ${name}`
  }
  return `in ${Math.max(1, Math.round(left / 1000))} s`
}
