import { countUpTo } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'

/** The samples of one series in `(start, end]`, times in milliseconds; the start is excluded, as in Prometheus 3. */
export interface RangeWindow {
  readonly start: number
  readonly end: number
  readonly timestamps: Float64Array
  readonly values: Float64Array
}

/** The window of `range` milliseconds that ends at a time. */
export function windowOf(series: StoredSeries, end: number, range: number): RangeWindow {
  const start = end - range
  const from = countUpTo(series, start)
  const to = countUpTo(series, end)
  return {
    start,
    end,
    timestamps: series.timestamps.subarray(from, to),
    values: series.values.subarray(from, to),
  }
}
