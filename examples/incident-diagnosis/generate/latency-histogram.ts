import type { MetricSeries } from './metric-family.ts'
import type { Random } from './random.ts'
import type { Signal } from './signal.ts'

const bounds = [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, Infinity] as const
const spread = 0.5
/** The standard normal distribution's 95th percentile. */
const normalP95 = 1.6448536269514722

/** What is measured: requests per second, their 95th percentile in seconds, and the times it is read at. */
export interface LatencySource {
  readonly labels: MetricSeries['labels']
  readonly requestRate: Signal
  readonly latency: Signal
  readonly times: readonly number[]
  readonly scrapeSeconds: number
}

/** The series of a classic histogram: every request since the last reading is drawn from a log-normal distribution. */
export function latencyHistogram(source: LatencySource, random: Random): readonly MetricSeries[] {
  const counts = bounds.map(() => 0)
  let total = 0
  let seconds = 0
  const readings = source.times.map((time, index) => {
    // A gap-free past of the counters is not needed, only that they did not all start at zero with the first reading.
    const interval = index === 0 ? source.scrapeSeconds * 20 : source.scrapeSeconds
    const arrivals = random.poisson(source.requestRate(time) * interval)
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      const duration = source.latency(time) * Math.exp(spread * (random.normal() - normalP95))
      total += 1
      seconds += duration
      const first = bounds.findIndex((bound) => duration <= bound)
      for (let bucket = first; bucket < counts.length; bucket += 1) counts[bucket] = (counts[bucket] ?? 0) + 1
    }
    return { time, counts: [...counts], total, seconds: Math.round(seconds * 1000) / 1000 }
  })
  const series = (
    suffix: MetricSeries['suffix'],
    labels: MetricSeries['labels'],
    value: (reading: (typeof readings)[number]) => number,
  ): MetricSeries => ({
    suffix,
    labels,
    samples: readings.map((reading) => ({ time: reading.time, value: value(reading) })),
  })
  return [
    ...bounds.map((bound, index) =>
      series('_bucket', [...source.labels, ['le', boundText(bound)]], (reading) => reading.counts[index] ?? 0),
    ),
    series('_sum', source.labels, (reading) => reading.seconds),
    series('_count', source.labels, (reading) => reading.total),
  ]
}

function boundText(bound: number): string {
  if (bound === Infinity) return '+Inf'
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}
