import type { LogEntry } from '../logs/log-entry.ts'
import type { LabelMatcher } from '../metrics/label-matcher.ts'
import { labelValue } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'

/** A parsed log query: streams whose labels satisfy all matchers, lines that pass all stages. */
export interface LogQuery {
  readonly kind: 'log-query'
  readonly matchers: readonly LabelMatcher[]
  readonly stages: readonly Stage[]
}

/** A parsed metric query: how many lines of a log query lie in the `range` nanoseconds up to each time, perhaps added up. */
export interface CountQuery {
  readonly kind: 'count-query'
  readonly logs: LogQuery
  readonly range: bigint
  readonly sumBy: Grouping | undefined
}

/** Which labels a sum keeps; `by` with no labels adds everything up. */
export interface Grouping {
  readonly kind: 'by' | 'without'
  readonly labels: readonly string[]
}

/** One stage of a pipeline: gives the labels the line has from here on, or undefined when the line is dropped. */
export type Stage = (line: string, labels: Labels) => Labels | undefined

/** Whether a stream belongs to a query. */
export function selectsStream({ matchers }: Pick<LogQuery, 'matchers'>, labels: Labels): boolean {
  return matchers.every((matcher) => matcher.matches(labelValue(labels, matcher.name)))
}

/** The entry as the query gives it, with the labels its stages extracted; undefined when it does not belong to the query. */
export function selectEntry(query: LogQuery, entry: LogEntry): LogEntry | undefined {
  if (!selectsStream(query, entry.labels)) return undefined
  let labels: Labels = entry.labels
  for (const stage of query.stages) {
    const next = stage(entry.line, labels)
    if (next === undefined) return undefined
    labels = next
  }
  return labels === entry.labels ? entry : { ...entry, labels }
}
