import { compareLabels, labelsToObject, makeLabels } from '../metrics/labels.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { evaluate } from '../promql/evaluate.ts'
import { parsePromql, parseSeriesSelector } from '../promql/parse.ts'
import type { Value } from '../promql/value.ts'

/**
 * Makes series from lines such as `name{label="value"} 0+10x3 _ 5`, one sample every `stepSeconds` from time 0 on.
 *
 * The notation is that of Prometheus' own tests: `a+bxn` is n+1 values from a in steps of b, `_` no sample.
 */
export function loadSeries(stepSeconds: number, lines: readonly string[]): readonly StoredSeries[] {
  const series = lines.map((line) => {
    const [, selector = '', values = ''] = /^(\S*?\{.*\}|\S+)\s+(.*)$/.exec(line.trim()) ?? []
    const matchers = parseSeriesSelector(selector).matchers
    const samples = values.split(/\s+/).flatMap((token) => expand(token))
    const present = samples.flatMap((value, index) =>
      value === undefined ? [] : [{ time: index * stepSeconds, value }],
    )
    return {
      labels: makeLabels(matchers.map(({ name, value }) => [name, value] as const)),
      timestamps: Float64Array.from(present, ({ time }) => time * 1000),
      values: Float64Array.from(present, ({ value }) => value),
    }
  })
  return series.toSorted((left, right) => compareLabels(left.labels, right.labels))
}

function expand(token: string): readonly (number | undefined)[] {
  if (token === '_') return [undefined]
  const range = /^(-?[\d.]+)([+-][\d.]+)x(\d+)$/.exec(token)
  if (range === null) return [Number(token.replace('Inf', 'Infinity'))]
  const [, first, step, count] = range
  return Array.from({ length: Number(count) + 1 }, (_, index) => Number(first) + Number(step) * index)
}

/** A query's value at one time, as `{labels as JSON: value}`; a scalar has the key `scalar`. */
export function evaluateAt(
  series: readonly StoredSeries[],
  seconds: number,
  query: string,
): Readonly<Record<string, number>> {
  const value = evaluate(parsePromql(query), { series, times: [seconds * 1000] })
  return valuesAt(value, 0)
}

function valuesAt(value: Value, step: number): Readonly<Record<string, number>> {
  if (value.kind === 'string') return {}
  if (value.kind === 'scalar') return { scalar: value.values[step] ?? NaN }
  return Object.fromEntries(
    value.series.flatMap(({ labels, values }) => {
      const sample = values[step]
      return sample === undefined ? [] : [[describe(labelsToObject(labels)), sample] as const]
    }),
  )
}

function describe(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
