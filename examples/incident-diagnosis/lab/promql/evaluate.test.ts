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

const canary = (instance: string): string => `group=canary,instance=${instance},job=app-server`
const production = 'group=production,instance=0,job=app-server'
const named = (labels: string): string => `__name__=http_requests_total,${labels}`

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
    ['min by (group) (http_requests_total)', { 'group=production': 100, 'group=canary': 300 }],
    ['increase(http_requests_total{group="canary", instance="1", job="app-server"}[50m])', { [canary('1')]: 800 }],
    [
      'http_requests_total{job="app-server", group="canary"} offset 10m',
      { [named(canary('0'))]: 560, [named(canary('1'))]: 640 },
    ],
    ['http_requests_total{group="canary", instance="0", job="app-server"} offset 50m', { [named(canary('0'))]: 0 }],
    ['http_requests_total{job="app-server", group="canary"} > 700', { [named(canary('1'))]: 800 }],
    ['700 < http_requests_total{job="app-server", group="canary"}', { [named(canary('1'))]: 800 }],
    ['800 == http_requests_total{job="app-server", group="canary"}', { [named(canary('1'))]: 800 }],
    ['http_requests_total{job="app-server", group="canary"} != 800', { [named(canary('0'))]: 700 }],
    ['http_requests_total{job="app-server", group="canary"} > bool 700', { [canary('0')]: 0, [canary('1')]: 1 }],
    ['SUM(http_requests_total) BY (job) > 1000', { 'job=app-server': 2600 }],
    ['1000 < SUM(http_requests_total) BY (job)', { 'job=app-server': 2600 }],
    ['SUM(http_requests_total) BY (job) <= 1000', { 'job=api-server': 1000 }],
    ['SUM(http_requests_total) BY (job) != 1000', { 'job=app-server': 2600 }],
    ['SUM(http_requests_total) BY (job) == bool 1000', { 'job=api-server': 1, 'job=app-server': 0 }],
    [
      'SUM(http_requests_total) BY (job) == bool SUM(http_requests_total) BY (job)',
      { 'job=api-server': 1, 'job=app-server': 1 },
    ],
    [
      'SUM(http_requests_total) BY (job) != bool SUM(http_requests_total) BY (job)',
      { 'job=api-server': 0, 'job=app-server': 0 },
    ],
    ['0 == bool 1', { scalar: 0 }],
    ['1 >= bool 1', { scalar: 1 }],
    ['topk(1, http_requests_total)', { [named(canary('1'))]: 800 }],
    ['topk(2, http_requests_total{group="canary"})', { [named(canary('1'))]: 800, [named(canary('0'))]: 700 }],
    [
      'bottomk by (group) (1, http_requests_total{job="app-server"})',
      { [named(canary('0'))]: 700, [named(production)]: 500 },
    ],
    ['topk(0, http_requests_total)', {}],
    ['topk(-3, http_requests_total)', {}],
    ['sum(topk(2.9, http_requests_total))', { '': 1500 }],
  ]

  it('has rows to look at', () => {
    expect(table.length).toBeGreaterThan(40)
  })

  it.each(table)('computes %s', (query, expected) => {
    expect(departures(evaluateAt(requests, 3000, query), expected)).toEqual([])
  })

  it.each([
    ['rate(steady_total[50m])', { '': 0.03333333333333333 }],
    ['rate(reset_middle_total[50m])', { '': 0.08 }],
    ['rate(reset_end_total[5m])', {}],
    ['rate(reset_end_total[6m])', { '': 0 }],
    ['increase(steady_total[50m])', { '': 100 }],
    ['increase(steady_total[25m] offset 25m)', { '': 50 }],
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

  it('looks into the future with a negative offset', () => {
    const counter = loadSeries(60, ['c_total 0+60x5'])
    expect(evaluateAt(counter, 60, 'c_total offset -2m')).toEqual({ '__name__=c_total': 180 })
    expect(evaluateAt(counter, 0, 'increase(c_total[2m] offset -3m)')).toEqual({ '': 120 })
  })

  it('filters and compares two vectors by their common labels, keeping the name of the left side', () => {
    const series = loadSeries(60, ['a{l="x"} 6', 'a{l="y"} 2', 'b{l="x"} 3', 'b{l="y"} 3', 'b{l="z"} 0'])
    expect(evaluateAt(series, 0, 'a > b')).toEqual({ '__name__=a,l=x': 6 })
    expect(evaluateAt(series, 0, 'a > bool b')).toEqual({ 'l=x': 1, 'l=y': 0 })
    expect(evaluateAt(series, 0, '(a > b) * 2')).toEqual({ 'l=x': 12 })
  })

  it('holds several left candidates for ambiguous only where more than one passes the filter', () => {
    const series = loadSeries(60, ['a 6', 'b 2', 'c 3'])
    expect(evaluateAt(series, 0, '{__name__=~"a|b"} > c')).toEqual({ '__name__=a': 6 })
    expect(() => evaluateAt(series, 0, '{__name__=~"a|b"} > bool c')).toThrow('multiple matches for labels')
  })

  it('compares NaN with nothing, itself included', () => {
    const series = parseOpenMetrics('m{i="1"} NaN 0\nm{i="2"} 1 0\n# EOF\n', 'metrics.om')
    expect(evaluateAt(series, 0, 'm == m')).toEqual({ '__name__=m,i=2': 1 })
    expect(evaluateAt(series, 0, 'm != bool m')).toEqual({ 'i=1': 1, 'i=2': 0 })
    expect(evaluateAt(series, 0, 'topk(1, m)')).toEqual({ '__name__=m,i=2': 1 })
    expect(evaluateAt(series, 0, 'bottomk(1, m)')).toEqual({ '__name__=m,i=2': 1 })
    expect(evaluateAt(series, 0, 'min(m)')).toEqual({ '': 1 })
  })

  it('chooses the highest anew at each time, and orders them at a single one', () => {
    const series = loadSeries(60, ['m{i="1"} 1 5 1', 'm{i="2"} 2 4 2', 'm{i="3"} 3 3 9'])
    const value = evaluate(parsePromql('topk(2, m)'), { series, times: [0, 60_000, 120_000] })
    const chosen = value.kind === 'vector' ? value.series.map(({ values }) => values) : []
    expect(chosen).toEqual([
      [undefined, 5, undefined],
      [2, 4, 2],
      [3, undefined, 9],
    ])
    expect(Object.values(evaluateAt(series, 120, 'topk(3, m)'))).toEqual([9, 2, 1])
    expect(Object.values(evaluateAt(series, 120, 'bottomk(2, m)'))).toEqual([1, 2])
  })

  it.each([
    ['topk(NaN, m)', 'Parameter value is NaN'],
    ['topk(Inf, m)', 'overflows int64'],
    ['bottomk(1e30, m)', 'overflows int64'],
  ])('refuses the count of %s', (query, text) => {
    expect(() => evaluateAt(loadSeries(60, ['m 1']), 0, query)).toThrow(text)
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
