import { jsonAnswer, textAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import type { LogEntry } from '../logs/log-entry.ts'
import { selectsEntry } from '../logql/log-query.ts'
import { parseLogql } from '../logql/parse-logql.ts'
import { compareLabels, labelsToObject } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { runWithin } from '../text/run-within.ts'
import { directionParameter, limitParameter, LokiParameterError, nanosecondsParameter } from './loki-parameters.ts'

const limitMilliseconds = 10_000
const oneHour = 3_600_000_000_000n

/**
 * Answers `/loki/api/v1/query_range`: the lines in `[start, end)` that come first in the direction asked for, by stream.
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
  const outcome = runWithin(limitMilliseconds, () => {
    const found = entries.filter(
      (entry) => entry.timestamp >= start && entry.timestamp < end && selectsEntry(query, entry),
    )
    return direction === 'forward' ? found : found.toReversed()
  })
  if (outcome.kind === 'timed-out') return textAnswer(504, 'query timed out')
  return jsonAnswer(200, {
    status: 'success',
    data: { resultType: 'streams', result: byStream(outcome.value.slice(0, limit)), stats: {} },
  })
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
