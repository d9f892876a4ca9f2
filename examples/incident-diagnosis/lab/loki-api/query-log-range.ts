import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import type { LogEntry } from '../logs/log-entry.ts'
import { countOverTime } from '../logql/count-over-time.ts'
import { selectEntry } from '../logql/log-query.ts'
import type { CountQuery } from '../logql/log-query.ts'
import { parseLogql } from '../logql/parse-logql.ts'
import { compareLabels, labelsToObject } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import {
  directionParameter,
  limitParameter,
  LokiParameterError,
  nanosecondsParameter,
  stepParameter,
} from './loki-parameters.ts'

const oneHour = 3_600_000_000_000n
const maximumPoints = 11_000n

/**
 * Answers `/loki/api/v1/query_range`: the lines in `[start, end)` that come first in the direction asked for, by stream, or for a
 * metric query the counts at every step from `start` to `end`.
 *
 * `entries` must rise in time. Without times it looks at the hour before `now` (milliseconds), as Loki does.
 */
export function queryLogRange(entries: readonly LogEntry[], parameters: URLSearchParams, now: number): HttpAnswer {
  const end = nanosecondsParameter(parameters, 'end') ?? BigInt(Math.trunc(now)) * 1_000_000n
  const start = nanosecondsParameter(parameters, 'start') ?? end - oneHour
  if (end <= start) {
    throw new LokiParameterError('end timestamp must not be before or equal to start time')
  }
  const limit = limitParameter(parameters)
  const direction = directionParameter(parameters)
  const query = parseLogql(parameters.get('query') ?? '')
  if (query.kind === 'count-query') {
    return counts(query, entries, { start, end, step: stepParameter(parameters, end - start) })
  }
  const found = entries.flatMap((entry) => {
    const selected = entry.timestamp >= start && entry.timestamp < end ? selectEntry(query, entry) : undefined
    return selected === undefined ? [] : [selected]
  })
  const ordered = direction === 'forward' ? found : found.toReversed()
  return jsonAnswer(200, {
    status: 'success',
    data: { resultType: 'streams', result: byStream(ordered.slice(0, limit)), stats: {} },
  })
}

function counts(
  query: CountQuery,
  entries: readonly LogEntry[],
  { start, end, step }: { readonly start: bigint; readonly end: bigint; readonly step: bigint },
): HttpAnswer {
  const points = (end - start) / step
  if (points > maximumPoints) {
    throw new LokiParameterError(
      'exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the step parameter',
    )
  }
  const times = Array.from({ length: Number(points) + 1 }, (_, index) => start + BigInt(index) * step)
  const result = countOverTime(query, entries, times).map(({ labels, counts: found }) => ({
    metric: labelsToObject(labels),
    values: found.map(([time, count]) => [Number(time / 1_000_000n) / 1000, String(count)]),
  }))
  return jsonAnswer(200, { status: 'success', data: { resultType: 'matrix', result, stats: {} } })
}

function byStream(entries: readonly LogEntry[]): unknown {
  const streams = new Map<string, { readonly labels: Labels; readonly values: (readonly [string, string])[] }>()
  for (const { labels, timestamp, line } of entries) {
    const value = [String(timestamp), line] as const
    const stream = streams.get(labels.key)
    if (stream === undefined) streams.set(labels.key, { labels, values: [value] })
    else stream.values.push(value)
  }
  return [...streams.values()]
    .toSorted((left, right) => compareLabels(left.labels, right.labels))
    .map(({ labels, values }) => ({ stream: labelsToObject(labels), values }))
}
