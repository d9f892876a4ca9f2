import { describe, expect, it } from 'vitest'
import { parseOpenMetrics } from '../incident-data/parse-open-metrics.ts'
import { evaluateAt, loadSeries } from '../testing/load-series.ts'
import { evaluate } from './evaluate.ts'
import { parsePromql } from './parse.ts'

// Series and expected values of this block are those of Prometheus' own promqltest/testdata (operators, functions, histograms).
const requests = loadSeries(300, [
  'http_requests_total{job="api-server", instance="0", group="production"} 0+10x10',
  'http_requests_total{job="api-server", instance="1", group="production"} 0+20x10',
  'http_requests_total{job="api-server", instance="0", group="canary"} 0+30x10',
  'http_requests_total{job="api-server", instance="1", group="canary"} 0+40x10',
  'http_requests_total{job="app-server", instance="0", group="production"} 0+50x10',
  'http_requests_total{job="app-server", instance="1", group="production"} 0+60x10',
  'http_requests_total{job="app-server", instance="0", group="canary"} 0+70x10',
  'http_requests_total{job="app-server", instance="1", group="canary"} 0+80x10',
])

const histograms = loadSeries(300, [
  'testhistogram_bucket{le="0.1", start="positive"} 0+5x10',
  'testhistogram_bucket{le=".2", start="positive"} 0+7x10',
  'testhistogram_bucket{le="1e0", start="positive"} 0+11x10',
  'testhistogram_bucket{le="+Inf", start="positive"} 0+12x10',
  'testhistogram_bucket{le="-.2", start="negative"} 0+1x10',
  'testhistogram_bucket{le="-0.1", start="negative"} 0+2x10',
  'testhistogram_bucket{le="0.3", start="negative"} 0+2x10',
  'testhistogram_bucket{le="+Inf", start="negative"} 0+3x10',
  'request_duration_seconds_bucket{job="job1", instance="ins1", le="0.1"} 0+1x10',
  'request_duration_seconds_bucket{job="job1", instance="ins1", le="0.2"} 0+3x10',
  'request_duration_seconds_bucket{job="job1", instance="ins1", le="+Inf"} 0+4x10',
  'request_duration_seconds_bucket{job="job1", instance="ins2", le="0.1"} 0+2x10',
  'request_duration_seconds_bucket{job="job1", instance="ins2", le="0.2"} 0+5x10',
  'request_duration_seconds_bucket{job="job1", instance="ins2", le="+Inf"} 0+6x10',
  'request_duration_seconds_bucket{job="job2", instance="ins1", le="0.1"} 0+3x10',
  'request_duration_seconds_bucket{job="job2", instance="ins1", le="0.2"} 0+4x10',
  'request_duration_seconds_bucket{job="job2", instance="ins1", le="+Inf"} 0+6x10',
  'request_duration_seconds_bucket{job="job2", instance="ins2", le="0.1"} 0+4x10',
  'request_duration_seconds_bucket{job="job2", instance="ins2", le="0.2"} 0+7x10',
  'request_duration_seconds_bucket{job="job2", instance="ins2", le="+Inf"} 0+9x10',
])

const counters = loadSeries(300, [
  'steady_total 0+10x10',
  'reset_middle_total 0+27x4 0+27x5',
  'reset_end_total 0+10x9 0 10',
])

type Row = readonly [query: string, expected: Readonly<Record<string, number>>]

describe('evaluate, against values of Prometheus', () => {
  const table: readonly Row[] = [
    ['SUM(http_requests_total) BY (job)', { 'job=api-server': 1000, 'job=app-server': 2600 }],
    ['sum without (instance, group) (http_requests_total)', { 'job=api-server': 1000, 'job=app-server': 2600 }],
    ['sum(http_requests_total)', { '': 3600 }],
    ['avg(http_requests_total{job="api-server"})', { '': 250 }],
    ['max by (group) (http_requests_total)', { 'group=production': 600, 'group=canary': 800 }],
    ['2 - SUM(http_requests_total) BY (job)', { 'job=api-server': -998, 'job=app-server': -2598 }],
    [
      '-http_requests_total{job="api-server",instance="0",group="production"}',
      { 'group=production,instance=0,job=api-server': -100 },
    ],
    [
      '+http_requests_total{job="api-server",instance="0",group="production"}',
      { '__name__=http_requests_total,group=production,instance=0,job=api-server': 100 },
    ],
    ['- - - SUM(http_requests_total) BY (job)', { 'job=api-server': -1000, 'job=app-server': -2600 }],
    ['- - - 1', { scalar: -1 }],
    ['-2^---1*3', { scalar: -1.5 }],
    ['2/-2^---1*3+2', { scalar: -10 }],
    ['-10^3 * - SUM(http_requests_total) BY (job) ^ -1', { 'job=api-server': 1, 'job=app-server': 1000 / 2600 }],
    ['SUM(http_requests_total) BY (job) % 3', { 'job=api-server': 1, 'job=app-server': 2 }],
    ['SUM(http_requests_total) BY (job) % 3 ^ 2', { 'job=api-server': 1, 'job=app-server': 8 }],
    ['SUM(http_requests_total) BY (job) % 2 ^ (3 ^ 2)', { 'job=api-server': 488, 'job=app-server': 40 }],
    ['SUM(http_requests_total) BY (job) % 2 ^ 3 ^ 2', { 'job=api-server': 488, 'job=app-server': 40 }],
    ['SUM(http_requests_total) BY (job) / 0', { 'job=api-server': Infinity, 'job=app-server': Infinity }],
    [
      'http_requests_total{job="api-server", group="canary"} + rate(http_requests_total{job="api-server"}[10m]) * 5 * 60',
      { 'group=canary,instance=0,job=api-server': 330, 'group=canary,instance=1,job=api-server': 440 },
    ],
    [
      'rate(http_requests_total{group="canary", instance="1", job="app-server"}[50m])',
      { 'group=canary,instance=1,job=app-server': 0.26666666666666666 },
    ],
    ['1_000 + 0x10 + 010 + 1e2 + .5 + 1m', { scalar: 1000 + 16 + 8 + 100 + 0.5 + 60 }],
    ['http_requests_total{job="nothing"} * 2', {}],
  ]

  it('has rows to look at', () => {
    expect(table.length).toBeGreaterThan(20)
  })

  it.each(table)('computes %s', (query, expected) => {
    expect(departures(evaluateAt(requests, 3000, query), expected)).toEqual([])
  })

  it.each([
    ['rate(steady_total[50m])', { '': 0.03333333333333333 }],
    ['rate(reset_middle_total[50m])', { '': 0.08 }],
    ['rate(reset_end_total[5m])', {}],
    ['rate(reset_end_total[6m])', { '': 0 }],
  ] satisfies Row[])('computes %s', (query, expected) => {
    expect(departures(evaluateAt(counters, 3000, query), expected)).toEqual([])
  })

  it('extrapolates no counter beyond its zero', () => {
    const young = loadSeries(
      240,
      [0, 1, 2, 3, 4, 5].map((minute) => `zero_cutoff_total{start="${minute}m"} ${60 * minute}+240x10`),
    )
    const rates = (seconds: number) => Object.values(evaluateAt(young, seconds, 'rate(zero_cutoff_total[20m])'))
    expect(rates(600).map((rate) => rate.toFixed(12))).toEqual(
      [0.5, 0.55, 0.6, 0.6, 0.6, 0.6].map((rate) => rate.toFixed(12)),
    )
    expect(rates(3000).map((rate) => rate.toFixed(12))).toEqual(Array.from({ length: 6 }, () => (0.6).toFixed(12)))
  })

  it.each([
    ['histogram_quantile(-0.1, testhistogram_bucket)', { 'start=positive': -Infinity, 'start=negative': -Infinity }],
    ['histogram_quantile(1.01, testhistogram_bucket)', { 'start=positive': Infinity, 'start=negative': Infinity }],
    ['histogram_quantile(NaN, testhistogram_bucket)', { 'start=positive': NaN, 'start=negative': NaN }],
    ['histogram_quantile(0, testhistogram_bucket)', { 'start=positive': 0, 'start=negative': -0.2 }],
    ['histogram_quantile(1, testhistogram_bucket)', { 'start=positive': 1, 'start=negative': 0.3 }],
    ['histogram_quantile(0.2, testhistogram_bucket)', { 'start=positive': 0.048, 'start=negative': -0.2 }],
    ['histogram_quantile(0.5, rate(testhistogram_bucket[10m]))', { 'start=positive': 0.15, 'start=negative': -0.15 }],
    ['histogram_quantile(0.8, rate(testhistogram_bucket[10m]))', { 'start=positive': 0.72, 'start=negative': 0.3 }],
    ['histogram_quantile(0.3, sum(rate(request_duration_seconds_bucket[10m])) by (le))', { '': 0.075 }],
    ['histogram_quantile(0.5, avg(rate(request_duration_seconds_bucket[10m])) by (le))', { '': 0.1277777777777778 }],
    [
      'histogram_quantile(0.5, sum(rate(request_duration_seconds_bucket[10m])) by (le, job))',
      { 'job=job1': 0.14, 'job=job2': 0.1125 },
    ],
    [
      'histogram_quantile(0.5, rate(request_duration_seconds_bucket{job="job1"}[10m]))',
      { 'instance=ins1,job=job1': 0.15, 'instance=ins2,job=job1': 0.13333333333333333 },
    ],
  ] satisfies Row[])('computes %s', (query, expected) => {
    expect(departures(evaluateAt(histograms, 3000, query), expected)).toEqual([])
  })
})

describe('evaluate', () => {
  it('looks back less than five minutes for an instant value', () => {
    const gauge = loadSeries(60, ['gauge 7'])
    expect(evaluateAt(gauge, 299, 'gauge')).toEqual({ '__name__=gauge': 7 })
    expect(evaluateAt(gauge, 300, 'gauge')).toEqual({})
  })

  it('leaves a sample at the very start of a range out', () => {
    const counter = loadSeries(60, ['c_total 0+60x5'])
    expect(evaluateAt(counter, 120, 'rate(c_total[60s])')).toEqual({})
    expect(evaluateAt(counter, 120, 'rate(c_total[61s])')).not.toEqual({})
  })

  it.each([
    ['m{a="x"}', ['x']],
    ['m{a!="x"}', ['', 'xy', 'y']],
    ['m{a=~"x"}', ['x']],
    ['m{a=~"x.*"}', ['x', 'xy']],
    ['m{a=~"x|y"}', ['x', 'y']],
    ['m{a!~"x.*"}', ['', 'y']],
    ['m{a=""}', ['']],
    ['m{a!=""}', ['x', 'xy', 'y']],
    ['{__name__=~"m", a=~".+y"}', ['xy']],
    ['{"m", a="y",}', ['y']],
  ])('selects with %s', (query, expected) => {
    const series = loadSeries(60, ['m 1', 'm{a="x"} 1', 'm{a="xy"} 1', 'm{a="y"} 1', 'n{a="x"} 1'])
    const value = evaluate(parsePromql(query), { series, times: [0] })
    const found = value.kind === 'vector' ? value.series.filter(({ values }) => values[0] !== undefined) : []
    expect(found.map(({ labels }) => Object.fromEntries(labels.entries)['a'] ?? '').toSorted()).toEqual(expected)
  })

  it('matches vectors one to one on all labels but the name', () => {
    const series = loadSeries(60, ['a{l="x"} 6', 'a{l="y"} 8', 'b{l="x"} 3', 'b{l="z"} 1'])
    expect(evaluateAt(series, 0, 'a / b')).toEqual({ 'l=x': 2 })
  })

  it('follows IEEE 754 in powers, where JavaScript does not', () => {
    expect(evaluateAt([], 0, '1 ^ NaN')).toEqual({ scalar: 1 })
    expect(evaluateAt([], 0, '(-1) ^ Inf')).toEqual({ scalar: 1 })
  })

  it('keeps small terms of a sum beside large ones', () => {
    const series = loadSeries(60, ['m{i="1"} 1', 'm{i="2"} 1e100', 'm{i="3"} 1', 'm{i="4"} -1e100'])
    expect(evaluateAt(series, 0, 'sum(m)')).toEqual({ '': 2 })
    expect(evaluateAt(series, 0, 'avg(m)')).toEqual({ '': 0.5 })
  })

  it('averages values whose sum is beyond the largest number', () => {
    const series = loadSeries(60, ['m{i="1"} 1.7e308', 'm{i="2"} 1.7e308', 'm{i="3"} 1.7e308'])
    expect(evaluateAt(series, 0, 'avg(m)')['']).toBeCloseTo(1.7e308, -300)
  })

  it('takes NaN as the maximum only when nothing else is there', () => {
    const series = parseOpenMetrics('m{i="1"} NaN 0\nm{i="2"} 1 0\n# EOF\n', 'metrics.om')
    expect(evaluateAt(series, 0, 'max(m)')).toEqual({ '': 1 })
    expect(evaluateAt(series, 0, 'max(m{i="1"})')).toEqual({ '': NaN })
  })

  it.each([
    ['rate({__name__=~".+_total"}[5m])', 'same labelset'],
    ['-{__name__=~".+_total"}', 'same labelset'],
    ['{__name__=~".+_total"} * 2', 'same labelset'],
    ['a_total + {__name__=~".+_total"}', 'found duplicate series for the match group {} on the right hand-side'],
    ['{__name__=~".+_total"} + a_total', 'multiple matches for labels'],
  ])('refuses the ambiguous %s', (query, text) => {
    const series = loadSeries(60, ['a_total 0+1x5', 'b_total 0+1x5'])
    expect(() => evaluateAt(series, 300, query)).toThrow(text)
  })

  it('joins series that lose their names but never meet in time', () => {
    const series = loadSeries(60, ['a 1 _ _ _ _ _ _ _', 'b _ _ _ _ _ _ _ 2'])
    const value = evaluate(parsePromql('-{__name__=~"a|b"}'), { series, times: [0, 420_000] })
    expect(value).toMatchObject({ kind: 'vector', series: [{ values: [-1, -2] }] })
  })
})

/** What differs by more than rounding, label sets found and not expected included. */
function departures(
  found: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
): readonly string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(expected)])].flatMap((key) => {
    const [one, other] = [found[key], expected[key]]
    if (one === undefined || other === undefined) return [`{${key}}: found ${one}, expected ${other}`]
    const equal = Object.is(one, other) || Math.abs(one - other) <= Math.abs(other) * 1e-12
    return equal ? [] : [`{${key}}: found ${one}, expected ${other}`]
  })
}
