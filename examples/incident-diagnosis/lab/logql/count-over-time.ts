import type { LogEntry } from '../logs/log-entry.ts'
import { compareLabels, emptyLabels, labelValue, onlyLabels, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { errorLabel } from './extract-json.ts'
import { selectEntry } from './log-query.ts'
import type { CountQuery, Grouping } from './log-query.ts'
import { LogqlError } from './logql-error.ts'

/** One series of counts: [time in nanoseconds, lines], times without a line left out. */
export interface CountSeries {
  readonly labels: Labels
  readonly counts: readonly (readonly [bigint, number])[]
}

/**
 * How many lines lie in `(time - range, time]` at each of rising times (nanoseconds), by the labels the lines end up with or their
 * sum; series in label order. `entries` must rise in time.
 *
 * A line that a stage marked with `__error__` throws a LogqlError, as it fails such a query in Loki.
 */
export function countOverTime(
  query: CountQuery,
  entries: readonly LogEntry[],
  times: readonly bigint[],
): readonly CountSeries[] {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return []
  const streams = new Map<string, { readonly labels: Labels; readonly timestamps: bigint[] }>()
  for (const entry of entries) {
    if (entry.timestamp <= first - query.range || entry.timestamp > last) continue
    const selected = selectEntry(query.logs, entry)
    if (selected === undefined) continue
    requireNoError(selected.labels)
    const labels = query.sumBy === undefined ? selected.labels : grouped(selected.labels, query.sumBy)
    const stream = streams.get(labels.key)
    if (stream === undefined) streams.set(labels.key, { labels, timestamps: [entry.timestamp] })
    else stream.timestamps.push(entry.timestamp)
  }
  return [...streams.values()]
    .map(({ labels, timestamps }) => ({ labels, counts: countsAt(timestamps, times, query.range) }))
    .filter(({ counts }) => counts.length > 0)
    .toSorted((left, right) => compareLabels(left.labels, right.labels))
}

/** Both edges of the window only ever move forward, so each line is passed twice in all. */
function countsAt(
  timestamps: readonly bigint[],
  times: readonly bigint[],
  range: bigint,
): readonly (readonly [bigint, number])[] {
  let [from, to] = [0, 0]
  return times.flatMap((time): readonly (readonly [bigint, number])[] => {
    while (to < timestamps.length && (timestamps[to] ?? time) <= time) to += 1
    while (from < to && (timestamps[from] ?? time) <= time - range) from += 1
    return to === from ? [] : [[time, to - from]]
  })
}

function grouped(labels: Labels, grouping: Grouping): Labels {
  if (grouping.kind === 'without') return withoutLabels(labels, grouping.labels)
  return grouping.labels.length === 0 ? emptyLabels : onlyLabels(labels, grouping.labels)
}

function requireNoError(labels: Labels): void {
  const problem = labelValue(labels, errorLabel)
  if (problem === '') return
  throw new LogqlError(
    'LOGQL_EVALUATION_ERROR',
    `pipeline error: ${problem}; use a label filter to skip such lines, for example | ${errorLabel}=""`,
  )
}
