import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import { labelsToObject, labelValue } from '../metrics/labels.ts'
import { countUpTo, selectSeries } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { parseSeriesSelector } from '../promql/parse.ts'
import { BadParameterError, badParameter } from './api-error.ts'
import { optionalTimeParameter } from './time-parameters.ts'

/** Answers `/api/v1/series`: the labels of the series that fit any `match[]` and have a sample in the time range. */
export function listSeries(series: readonly StoredSeries[], parameters: URLSearchParams): HttpAnswer {
  if (!parameters.has('match[]')) throw new BadParameterError('no match[] parameter provided')
  return limited(
    parameters,
    fittingSeries(series, parameters).map(({ labels }) => labelsToObject(labels)),
  )
}

/** Answers `/api/v1/labels`: the sorted label names of the fitting series; without `match[]`, of all. */
export function listLabelNames(series: readonly StoredSeries[], parameters: URLSearchParams): HttpAnswer {
  const names = fittingSeries(series, parameters).flatMap(({ labels }) => labels.entries.map(([name]) => name))
  return limited(parameters, sortedUnique(names))
}

/** Answers `/api/v1/label/<name>/values`: the sorted values of one label over the fitting series; without `match[]`, over all. */
export function listLabelValues(
  series: readonly StoredSeries[],
  parameters: URLSearchParams,
  name: string,
): HttpAnswer {
  const values = fittingSeries(series, parameters).map(({ labels }) => labelValue(labels, name))
  return limited(parameters, sortedUnique(values.filter((value) => value !== '')))
}

function fittingSeries(series: readonly StoredSeries[], parameters: URLSearchParams): readonly StoredSeries[] {
  const start = optionalTimeParameter(parameters, 'start', -Infinity)
  const end = optionalTimeParameter(parameters, 'end', Infinity)
  const selectors = parameters.getAll('match[]').map((selector) => parseSeriesSelector(selector))
  const matching = new Set(
    selectors.length === 0 ? series : selectors.flatMap(({ matchers }) => selectSeries(series, matchers)),
  )
  return series.filter((candidate) => {
    const newest = candidate.timestamps[countUpTo(candidate, end) - 1]
    return matching.has(candidate) && newest !== undefined && newest >= start
  })
}

function sortedUnique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted()
}

function limited(parameters: URLSearchParams, data: readonly unknown[]): HttpAnswer {
  const text = parameters.get('limit') ?? ''
  const limit = text === '' ? 0 : Number(text)
  if (!Number.isInteger(limit) || limit < 0) throw badParameter('limit', 'limit must be non-negative')
  if (limit === 0 || data.length <= limit) return jsonAnswer(200, { status: 'success', data })
  const warnings = ['results truncated due to limit']
  return jsonAnswer(200, { status: 'success', data: data.slice(0, limit), warnings })
}
