import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import type { LogEntry } from '../logs/log-entry.ts'
import { selectsStream } from '../logql/log-query.ts'
import { parseLogSelector } from '../logql/parse-logql.ts'
import { labelValue } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { nanosecondsParameter } from './loki-parameters.ts'

/** Answers `/loki/api/v1/labels`: the sorted label names of the streams with a line in the time range. */
export function listLogLabelNames(entries: readonly LogEntry[], parameters: URLSearchParams): HttpAnswer {
  return sortedAnswer(fittingStreams(entries, parameters).flatMap((labels) => labels.entries.map(([name]) => name)))
}

/** Answers `/loki/api/v1/label/<name>/values`: the sorted values of one label. */
export function listLogLabelValues(
  entries: readonly LogEntry[],
  parameters: URLSearchParams,
  name: string,
): HttpAnswer {
  const values = fittingStreams(entries, parameters).map((labels) => labelValue(labels, name))
  return sortedAnswer(values.filter((value) => value !== ''))
}

/** Unlike Loki, which then looks at the last hours only, an absent start or end leaves that side open: incidents lie in the past. */
function fittingStreams(entries: readonly LogEntry[], parameters: URLSearchParams): readonly Labels[] {
  const start = nanosecondsParameter(parameters, 'start')
  const end = nanosecondsParameter(parameters, 'end')
  const selector = parameters.get('query') ?? ''
  const query = selector === '' ? undefined : parseLogSelector(selector)
  const streams = new Map<string, Labels>()
  for (const { timestamp, labels } of entries) {
    const inside = (start === undefined || timestamp >= start) && (end === undefined || timestamp < end)
    if (inside && !streams.has(labels.key)) streams.set(labels.key, labels)
  }
  return [...streams.values()].filter((labels) => query === undefined || selectsStream(query, labels))
}

function sortedAnswer(texts: readonly string[]): HttpAnswer {
  return jsonAnswer(200, { status: 'success', data: [...new Set(texts)].toSorted() })
}
