/** The value below which `share` (0 to 1) of the numbers lie; `null` of none. */
export function quantile(numbers, share) {
  if (numbers.length === 0) return null
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** The middle of the numbers, what is not a number left out; the mean of the two middle ones of an even count. */
export function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((one, other) => one - other)
  if (sorted.length === 0) return null
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Rounded to `digits` after the point; `null` stays `null`. */
export function rounded(number, digits) {
  return number === null || !Number.isFinite(number) ? null : Number(number.toFixed(digits))
}
