/** A value at a time in seconds since the epoch. */
export type Point = readonly [time: number, value: number]

/** The middle value of a list; of an even number the lower middle, so that it is always a value that was measured. */
export function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

/** How far values usually lie from their middle, on the scale of a standard deviation (median absolute deviation). */
export function spreadOf(values: readonly number[]): number {
  const middle = middleOf(values)
  return 1.4826 * middleOf(values.map((value) => Math.abs(value - middle)))
}

/** The greatest point, `undefined` for none. */
export function peakOf(points: readonly Point[]): Point | undefined {
  return points.reduce<Point | undefined>(
    (best, point) => (best === undefined || point[1] > best[1] ? point : best),
    undefined,
  )
}
