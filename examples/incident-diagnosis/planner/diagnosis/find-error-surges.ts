import { parseTime } from '../../sources/index.ts'
import type { LogFacts, LogPatternFact } from '../facts/facts.ts'
import type { Window } from '../prompt/stated-window.ts'
import { detectOnset } from '../series/detect-onset.ts'
import { moreLines } from '../series/rise-limits.ts'
import type { Point } from '../series/series.ts'

/** A kind of error line that appeared, or became clearly more frequent, at a moment of the window. */
export type ErrorSurge = { readonly pattern: LogPatternFact; readonly onset: number }

const fewestLines = 5

/** The surges among the error lines, most lines first. */
export function findErrorSurges(logs: LogFacts, window: Window): readonly ErrorSurge[] {
  // The search may cover less than the window, and nothing is known of the rest.
  const searched = { start: parseTime(logs.start) ?? window.start, end: parseTime(logs.end) ?? window.end }
  return logs.patterns.flatMap((pattern) => {
    if (pattern.count < fewestLines) return []
    const rise = detectOnset(binsOf(pattern, { ...searched, width: logs.binSeconds }), moreLines)
    if (rise === null) return []
    // A pattern nobody had seen before began with its first line, which is more exact than its bin.
    const first = parseTime(pattern.firstSeen) ?? rise.onset
    return [
      {
        pattern,
        onset: Math.max(first, rise.onset) === first && first < rise.onset + logs.binSeconds ? first : rise.onset,
      },
    ]
  })
}

function binsOf(
  pattern: LogPatternFact,
  bins: { readonly start: number; readonly end: number; readonly width: number },
): readonly Point[] {
  const counts = new Map(pattern.counts)
  const points: Point[] = []
  for (let bin = Math.floor(bins.start / bins.width) * bins.width; bin < bins.end; bin += bins.width) {
    points.push([bin, counts.get(bin) ?? 0])
  }
  return points
}
