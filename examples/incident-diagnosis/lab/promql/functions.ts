import { bucketLabel, labelValue, metricNameLabel, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'
import { histogramQuantile } from './histogram-quantile.ts'
import type { Bucket } from './histogram-quantile.ts'
import { windowOf } from './range-window.ts'
import type { RangeWindow } from './range-window.ts'
import { mergeSameLabels, sameLabelsError } from './value.ts'
import type { EvaluationTimes, ResultSeries } from './value.ts'

/** A function of one window of samples; undefined means it has no value there. */
export type WindowFunction = (window: RangeWindow) => number | undefined

/** Applies a window function to each series at each time; results carry no metric name, and two alike throw a PromqlError. */
export function overWindows(
  apply: WindowFunction,
  { series, range }: { readonly series: readonly StoredSeries[]; readonly range: number },
  times: EvaluationTimes,
): readonly ResultSeries[] {
  const results = series
    .map((stored) => ({
      labels: withoutLabels(stored.labels, [metricNameLabel]),
      values: times.map((time) => apply(windowOf(stored, time, range))),
    }))
    .filter(({ values }) => values.some((value) => value !== undefined))
  if (new Set(results.map(({ labels }) => labels.key)).size < results.length) throw sameLabelsError()
  return results
}

interface Histogram {
  readonly labels: Labels
  readonly buckets: { readonly upperBound: number; readonly series: ResultSeries }[]
}

/** The quantile of each classic histogram of a vector at each time; series without a readable `le` label are left out. */
export function quantilesOf(
  quantiles: readonly number[],
  buckets: readonly ResultSeries[],
  times: EvaluationTimes,
): readonly ResultSeries[] {
  const histograms = new Map<string, Histogram>()
  for (const series of buckets) {
    const upperBound = parseGoFloat(labelValue(series.labels, bucketLabel))
    if (upperBound === undefined) continue
    const signature = withoutLabels(series.labels, [bucketLabel])
    const histogram = histograms.get(signature.key)
    if (histogram === undefined) {
      histograms.set(signature.key, { labels: signature, buckets: [{ upperBound, series }] })
    } else {
      histogram.buckets.push({ upperBound, series })
    }
  }
  const results = [...histograms.values()].map((histogram) => ({
    labels: withoutLabels(histogram.labels, [metricNameLabel]),
    values: times.map((_, step) => {
      const present = bucketsAt(histogram, step)
      return present.length === 0 ? undefined : histogramQuantile(quantiles[step] ?? NaN, present)
    }),
  }))
  return mergeSameLabels(results)
}

function bucketsAt(histogram: Histogram, step: number): readonly Bucket[] {
  return histogram.buckets.flatMap(({ upperBound, series }) => {
    const count = series.values[step]
    return count === undefined ? [] : [{ upperBound, count }]
  })
}
