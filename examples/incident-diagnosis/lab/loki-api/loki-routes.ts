import { answerInTime } from '../http/answer-in-time.ts'
import { textAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import type { Route, RouteRequest } from '../http/route.ts'
import type { LogEntry } from '../logs/log-entry.ts'
import { LogqlError } from '../logql/logql-error.ts'
import { listLogLabelNames, listLogLabelValues } from './log-label-lookup.ts'
import { LokiParameterError } from './loki-parameters.ts'
import { queryLogRange } from './query-log-range.ts'

/** The part of Loki's HTTP API the lab serves; `now` gives milliseconds and is asked only when a query states no time. */
export function lokiRoutes(entries: readonly LogEntry[], now: () => number): readonly Route[] {
  const late = textAnswer(504, 'query timed out')
  const route = (path: string, handle: (request: RouteRequest) => HttpAnswer): Route => ({
    methods: ['GET', 'POST'],
    path,
    handle: (request) => answerOrError(() => answerInTime(() => handle(request), late)),
  })
  return [
    route('/loki/api/v1/query_range', ({ parameters }) => queryLogRange(entries, parameters, now())),
    route('/loki/api/v1/labels', ({ parameters }) => listLogLabelNames(entries, parameters)),
    route('/loki/api/v1/label/:name/values', ({ parameters, name }) => listLogLabelValues(entries, parameters, name)),
  ]
}

/** Loki answers errors in plain text. */
function answerOrError(respond: () => HttpAnswer): HttpAnswer {
  try {
    return respond()
  } catch (error) {
    if (error instanceof LokiParameterError) return textAnswer(400, error.message)
    if (!(error instanceof LogqlError)) throw error
    return textAnswer(error.code === 'LOGQL_UNSUPPORTED' ? 422 : 400, error.message)
  }
}
