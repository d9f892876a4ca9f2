import type { LabelMatcher } from './label-matcher.ts'
import { labelValue } from './labels.ts'
import type { Labels } from './labels.ts'

/** One series of the data folder: samples in rising time, timestamps in milliseconds since 1970, both arrays of one length. */
export interface StoredSeries {
  readonly labels: Labels
  readonly timestamps: Float64Array
  readonly values: Float64Array
}

/** The series all of whose labels satisfy all matchers, in the order given. */
export function selectSeries(
  series: readonly StoredSeries[],
  matchers: readonly LabelMatcher[],
): readonly StoredSeries[] {
  return series.filter(({ labels }) => matchers.every((matcher) => matcher.matches(labelValue(labels, matcher.name))))
}

/** How many samples lie at or before a time: the index of the first sample after it. */
export function countUpTo(series: StoredSeries, time: number): number {
  let low = 0
  let high = series.timestamps.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((series.timestamps[middle] ?? Infinity) <= time) low = middle + 1
    else high = middle
  }
  return low
}
