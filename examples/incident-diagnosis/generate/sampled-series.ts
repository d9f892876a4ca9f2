import type { MetricSeries } from './metric-family.ts'
import type { Random } from './random.ts'
import type { Signal } from './signal.ts'

/** Readings of a gauge around a signal: `noise` is the standard deviation, values are cut to [0, most] and to `decimals`. */
export function gaugeSeries(
  gauge: {
    readonly labels: MetricSeries['labels']
    readonly signal: Signal
    readonly times: readonly number[]
    readonly noise: number
    readonly most: number
    readonly decimals: number
  },
  random: Random,
): MetricSeries {
  const scale = 10 ** gauge.decimals
  const samples = gauge.times.map((time) => {
    const raw = gauge.signal(time) + gauge.noise * random.normal()
    return { time, value: Math.round(Math.min(gauge.most, Math.max(0, raw)) * scale) / scale }
  })
  return { suffix: '', labels: gauge.labels, samples }
}

/** Readings of a counter whose events come at a rate per second; it starts with an hour's worth of them. */
export function counterSeries(
  counter: {
    readonly labels: MetricSeries['labels']
    readonly rate: Signal
    readonly times: readonly number[]
    readonly scrapeSeconds: number
  },
  random: Random,
): MetricSeries {
  let total = Math.round(counter.rate(counter.times[0] ?? 0) * 3600)
  const samples = counter.times.map((time) => {
    total += random.poisson(counter.rate(time) * counter.scrapeSeconds)
    return { time, value: total }
  })
  return { suffix: '_total', labels: counter.labels, samples }
}
