import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import { emptyLabels, labelsToObject } from '../metrics/labels.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { valueType } from '../promql/check-types.ts'
import { evaluate } from '../promql/evaluate.ts'
import { parsePromql } from '../promql/parse.ts'
import { sortedSeries } from '../promql/value.ts'
import type { EvaluationTimes, ResultSeries, Value } from '../promql/value.ts'
import { formatSampleValue } from '../text/format-go-float.ts'
import { badParameter, BadParameterError } from './api-error.ts'
import { stepParameter, timeParameter } from './time-parameters.ts'

const maximumPoints = 11_000

/** Answers `/api/v1/query_range`: a matrix, its series in label order. */
export function queryRange(series: readonly StoredSeries[], parameters: URLSearchParams): HttpAnswer {
  const start = timeParameter(parameters, 'start')
  const end = timeParameter(parameters, 'end')
  if (end < start) throw badParameter('end', 'end timestamp must not be before start time')
  const step = stepParameter(parameters)
  if (Math.trunc((end - start) / step) > maximumPoints) {
    throw new BadParameterError(
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    )
  }
  const expression = parsePromql(parameters.get('query') ?? '')
  const type = valueType(expression)
  if (type === 'range vector' || type === 'string') {
    throw badParameter('query', `invalid expression type "${type}" for range query, must be Scalar or instant Vector`)
  }
  const times = evaluationTimes(start, end, step)
  const result = sortedSeries(asSeries(evaluate(expression, { series, times }))).map(({ labels, values }) => ({
    metric: labelsToObject(labels),
    values: values.flatMap((sample, index) => {
      const time = times[index]
      return sample === undefined || time === undefined ? [] : [[time / 1000, formatSampleValue(sample)]]
    }),
  }))
  return jsonAnswer(200, { status: 'success', data: { resultType: 'matrix', result } })
}

function evaluationTimes(start: number, end: number, step: number): EvaluationTimes {
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step)
}

function asSeries(value: Value): readonly ResultSeries[] {
  switch (value.kind) {
    case 'vector':
      return value.series
    case 'scalar':
      return [{ labels: emptyLabels, values: value.values }]
    case 'string':
      return []
    default:
      return value satisfies never
  }
}
