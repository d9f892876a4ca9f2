/** One cumulative bucket of a classic histogram: how many observations were at most `upperBound`. */
export interface Bucket {
  readonly upperBound: number
  readonly count: number
}

const smallestNormal = 2 ** -1022
const tolerance = 1e-12

/**
 * The quantile of a classic histogram, as Prometheus estimates it: linear within a bucket, from zero in the lowest one.
 *
 * Buckets may stand in any order; equal bounds are added up and falling counts raised to what precedes them. NaN without a `+Inf`
 * bucket, with fewer than two buckets, without observations or for a NaN quantile; below 0 gives -Inf, above 1 +Inf. A quantile
 * in the `+Inf` bucket gives the highest finite bound.
 */
export function histogramQuantile(quantile: number, buckets: readonly Bucket[]): number {
  if (Number.isNaN(quantile)) return NaN
  if (quantile < 0) return -Infinity
  if (quantile > 1) return Infinity
  const sorted = coalesce(buckets.toSorted(byBound))
  const highest = sorted.at(-1)
  if (highest?.upperBound !== Infinity || sorted.length < 2) return NaN
  const cumulative = forceMonotonic(sorted)
  const observations = cumulative.at(-1)?.count ?? 0
  if (observations === 0) return NaN

  const rank = quantile * observations
  // A NaN count satisfies no comparison: the search then ends in the last bucket, as Go's binary search does.
  const finite = cumulative.slice(0, -1)
  const index = firstAtLeast(finite, rank)
  const bucket = finite[index]
  const below = finite[index - 1]
  if (bucket === undefined) return finite.at(-1)?.upperBound ?? NaN
  if (below === undefined) {
    return bucket.upperBound <= 0 ? bucket.upperBound : bucket.upperBound * (rank / bucket.count)
  }
  const share = (rank - below.count) / (bucket.count - below.count)
  return below.upperBound + (bucket.upperBound - below.upperBound) * share
}

/** A subtraction would give NaN for two infinite bounds. */
function byBound(left: Bucket, right: Bucket): number {
  if (left.upperBound === right.upperBound) return 0
  return left.upperBound < right.upperBound ? -1 : 1
}

function firstAtLeast(buckets: readonly Bucket[], rank: number): number {
  let low = 0
  let high = buckets.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((buckets[middle]?.count ?? NaN) >= rank) high = middle
    else low = middle + 1
  }
  return low
}

function coalesce(sorted: readonly Bucket[]): readonly Bucket[] {
  const merged: Bucket[] = []
  for (const bucket of sorted) {
    const last = merged.at(-1)
    if (last?.upperBound !== bucket.upperBound) merged.push(bucket)
    else merged[merged.length - 1] = { upperBound: last.upperBound, count: last.count + bucket.count }
  }
  return merged
}

/** Levels falls, and differences so small that only rounding explains them, to the count before. */
function forceMonotonic(sorted: readonly Bucket[]): readonly Bucket[] {
  let previous = sorted[0]?.count ?? 0
  return sorted.map((bucket, index) => {
    if (index === 0) return bucket
    if (almostEqual(previous, bucket.count) || bucket.count < previous) return { ...bucket, count: previous }
    previous = bucket.count
    return bucket
  })
}

function almostEqual(left: number, right: number): boolean {
  if (left === right || (Number.isNaN(left) && Number.isNaN(right))) return true
  const sum = Math.abs(left) + Math.abs(right)
  const difference = Math.abs(left - right)
  if (left === 0 || right === 0 || sum < smallestNormal) return difference < tolerance * smallestNormal
  return difference / Math.min(sum, Number.MAX_VALUE) < tolerance
}
