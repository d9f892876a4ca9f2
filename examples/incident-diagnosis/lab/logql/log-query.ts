import type { LogEntry } from '../logs/log-entry.ts'
import type { LabelMatcher } from '../metrics/label-matcher.ts'
import { labelValue } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'

/** A parsed log query: streams whose labels satisfy all matchers, lines that pass all filters. */
export interface LogQuery {
  readonly matchers: readonly LabelMatcher[]
  readonly lineFilters: readonly LineFilter[]
}

/** One test of a line's text. */
export type LineFilter = (line: string) => boolean

/** Whether a stream belongs to a query. */
export function selectsStream({ matchers }: Pick<LogQuery, 'matchers'>, labels: Labels): boolean {
  return matchers.every((matcher) => matcher.matches(labelValue(labels, matcher.name)))
}

/** Whether an entry belongs to a query. */
export function selectsEntry(query: LogQuery, { labels, line }: LogEntry): boolean {
  return selectsStream(query, labels) && query.lineFilters.every((passes) => passes(line))
}
