import { answerInTime } from '../http/answer-in-time.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import type { Route, RouteRequest } from '../http/route.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { answerOrError, errorAnswer } from './api-error.ts'
import { queryInstant } from './query-instant.ts'
import { queryRange } from './query-range.ts'
import { listLabelNames, listLabelValues, listSeries } from './series-lookup.ts'

/** The part of Prometheus' HTTP API the lab serves; `now` gives milliseconds and is asked only when a query states no time. */
export function prometheusRoutes(series: readonly StoredSeries[], now: () => number): readonly Route[] {
  const late = errorAnswer(503, 'timeout', 'query timed out in expression evaluation')
  const route = (path: string, handle: (request: RouteRequest) => HttpAnswer): Route => ({
    methods: ['GET', 'POST'],
    path,
    handle: (request) => answerOrError(() => answerInTime(() => handle(request), late)),
  })
  return [
    route('/api/v1/query_range', ({ parameters }) => queryRange(series, parameters)),
    route('/api/v1/query', ({ parameters }) => queryInstant(series, parameters, now())),
    route('/api/v1/series', ({ parameters }) => listSeries(series, parameters)),
    route('/api/v1/labels', ({ parameters }) => listLabelNames(series, parameters)),
    route('/api/v1/label/:name/values', ({ parameters, name }) => listLabelValues(series, parameters, name)),
  ]
}
