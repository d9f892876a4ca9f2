import { findSegments } from './find-segments.ts'
import { middleOf, spreadOf, type Point } from './series.ts'

/** A lasting rise of a series: when it first left its old level, and the two levels (both are measured values). */
export type Rise = { readonly onset: number; readonly before: number; readonly after: number }

/** How much of a rise counts: at least `ratio` times the old level, and at least `rise` above it. */
export type RiseLimits = { readonly ratio: number; readonly rise: number }

/**
 * Finds the first lasting rise of a series in time order, `null` when it stays level or has under six points.
 * A rise that is over before the series ends is found too; a single outlier is not a rise.
 */
export function detectOnset(points: readonly Point[], limits: RiseLimits): Rise | null {
  const cuts = findSegments(points.map(([, value]) => value))
  const starts = [0, ...cuts]
  for (const [index, start] of starts.entries()) {
    const cut = starts[index + 1]
    if (cut === undefined) return null
    const rise = riseAt(points, { start, cut, end: starts[index + 2] ?? points.length, limits })
    if (rise !== null) return rise
  }
  return null
}

function riseAt(
  points: readonly Point[],
  at: { readonly start: number; readonly cut: number; readonly end: number; readonly limits: RiseLimits },
): Rise | null {
  const quiet = points.slice(at.start, at.cut).map(([, value]) => value)
  const before = middleOf(quiet)
  const after = middleOf(points.slice(at.cut, at.end).map(([, value]) => value))
  const noise = spreadOf(quiet)
  const height = after - before
  if (after < at.limits.ratio * before || height < at.limits.rise || height < 4 * noise) return null
  const left = (index: number) => (points[index]?.[1] ?? -Infinity) > before + Math.max(4 * noise, height * 0.15)
  // A rate over some minutes climbs for that long; the cut lies inside the climb, the onset at its foot.
  let first = at.cut
  while (first > at.start && left(first - 1)) first--
  while (first < at.end && !left(first)) first++
  const onset = points[first]?.[0]
  return onset === undefined ? null : { onset, before, after }
}
