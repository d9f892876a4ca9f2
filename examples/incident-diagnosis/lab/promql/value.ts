import { compareLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { PromqlError } from './promql-error.ts'

/** The times of an evaluation in milliseconds since 1970, rising by a fixed step; one time for an instant query. */
export type EvaluationTimes = readonly number[]

/** One series of a result: a value per evaluation time, undefined where the series has none. */
export interface ResultSeries {
  readonly labels: Labels
  readonly values: readonly (number | undefined)[]
}

/** What an expression yields over all evaluation times. */
export type Value =
  | { readonly kind: 'scalar'; readonly values: readonly number[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'vector'; readonly series: readonly ResultSeries[] }

/**
 * Joins series that became the same after a label was dropped.
 *
 * Two values at one time throw a PromqlError, as they do in Prometheus; series that never meet become one.
 */
export function mergeSameLabels(series: readonly ResultSeries[]): readonly ResultSeries[] {
  const merged = new Map<string, ResultSeries>()
  for (const candidate of series) {
    const existing = merged.get(candidate.labels.key)
    merged.set(candidate.labels.key, existing === undefined ? candidate : joined(existing, candidate))
  }
  return [...merged.values()]
}

/** Series in label order, those without any value left out: the order of a range query's answer. */
export function sortedSeries(series: readonly ResultSeries[]): readonly ResultSeries[] {
  return series
    .filter(({ values }) => values.some((value) => value !== undefined))
    .toSorted((left, right) => compareLabels(left.labels, right.labels))
}

function joined(left: ResultSeries, right: ResultSeries): ResultSeries {
  const values = left.values.map((value, step) => {
    const other = right.values[step]
    if (value !== undefined && other !== undefined) throw sameLabelsError()
    return value ?? other
  })
  return { labels: left.labels, values }
}

/** The error Prometheus gives when two series of one result have the same labels. */
export function sameLabelsError(): PromqlError {
  return new PromqlError('PROMQL_EVALUATION_ERROR', 'vector cannot contain metrics with the same labelset')
}
