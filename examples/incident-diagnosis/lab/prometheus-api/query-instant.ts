import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import { labelsToObject } from '../metrics/labels.ts'
import { selectSeries } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import type { Expression, RangeSelector } from '../promql/ast.ts'
import { evaluate } from '../promql/evaluate.ts'
import { parsePromql } from '../promql/parse.ts'
import { windowOf } from '../promql/range-window.ts'
import type { Value } from '../promql/value.ts'
import { formatSampleValue, formatScalarValue } from '../text/format-go-float.ts'
import { optionalTimeParameter } from './time-parameters.ts'

/** Answers `/api/v1/query`: a vector, a scalar, a string, or for a range selector the samples of the range. `now` is in milliseconds. */
export function queryInstant(series: readonly StoredSeries[], parameters: URLSearchParams, now: number): HttpAnswer {
  const time = optionalTimeParameter(parameters, 'time', now)
  const expression = parsePromql(parameters.get('query') ?? '')
  const range = asRangeSelector(expression)
  const data =
    range === undefined
      ? render(evaluate(expression, { series, times: [time] }), time / 1000)
      : { resultType: 'matrix', result: rawSamples(series, range, time) }
  return jsonAnswer(200, { status: 'success', data })
}

function asRangeSelector(expression: Expression): RangeSelector | undefined {
  if (expression.kind === 'parentheses') return asRangeSelector(expression.inner)
  return expression.kind === 'range-selector' ? expression : undefined
}

function rawSamples(series: readonly StoredSeries[], { selector, range }: RangeSelector, time: number): unknown {
  return selectSeries(series, selector.matchers).flatMap((stored) => {
    const { timestamps, values } = windowOf(stored, time - selector.shift, range)
    if (values.length === 0) return []
    const samples = Array.from(values, (value, index) => [(timestamps[index] ?? NaN) / 1000, formatSampleValue(value)])
    return [{ metric: labelsToObject(stored.labels), values: samples }]
  })
}

function render(value: Value, seconds: number): unknown {
  switch (value.kind) {
    case 'scalar':
      return { resultType: 'scalar', result: [seconds, formatScalarValue(value.values[0] ?? NaN)] }
    case 'string':
      return { resultType: 'string', result: [seconds, value.value] }
    case 'vector':
      return {
        resultType: 'vector',
        result: value.series.flatMap(({ labels, values }) => {
          const [sample] = values
          return sample === undefined
            ? []
            : [{ metric: labelsToObject(labels), value: [seconds, formatSampleValue(sample)] }]
        }),
      }
    default:
      return value satisfies never
  }
}
