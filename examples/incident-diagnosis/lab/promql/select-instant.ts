import { countUpTo } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import type { EvaluationTimes, ResultSeries } from './value.ts'

const lookback = 5 * 60_000

/**
 * The newest value of each series at each time, looking back less than five minutes.
 *
 * An OpenMetrics file holds no staleness markers, so a series that ends keeps its last value for the whole look-back.
 */
export function selectInstant(series: readonly StoredSeries[], times: EvaluationTimes): readonly ResultSeries[] {
  return series.map((stored) => ({
    labels: stored.labels,
    values: times.map((time) => {
      const newest = countUpTo(stored, time) - 1
      const timestamp = stored.timestamps[newest]
      return timestamp === undefined || timestamp <= time - lookback ? undefined : stored.values[newest]
    }),
  }))
}
