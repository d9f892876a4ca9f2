import { textAnswer } from './http/http-answer.ts'
import { answeringAlways, type Route } from './http/route.ts'
import { serveRoutes } from './http/serve-routes.ts'
import { readIncidentData, type IncidentData } from './incident-data/read-incident-data.ts'
import { lokiRoutes } from './loki-api/loki-routes.ts'
import { errorAnswer } from './prometheus-api/api-error.ts'
import { prometheusRoutes } from './prometheus-api/prometheus-routes.ts'

/** A running lab; the URLs are the base URLs of both APIs, without a slash at the end. `close` may be called more than once. */
export interface Lab {
  readonly prometheusUrl: string
  readonly lokiUrl: string
  close(): Promise<void>
}

/**
 * Serves a data folder's metrics and logs on 127.0.0.1 as Prometheus and Loki would.
 *
 * The folder is read once. A missing file is an empty source. A broken file makes its own API answer every request with HTTP 500
 * and the coded reason; the other API works. A missing folder throws an IncidentDataError.
 * It listens on a free port unless one is given; a port that is taken rejects with a `PortTakenError`.
 * The lab does not keep the process alive.
 */
export async function startLab(options: { readonly dataDirectory: string; readonly port?: number }): Promise<Lab> {
  const { series, logs } = await readIncidentData(options.dataDirectory)
  const server = await serveRoutes([...metricsRoutes(series), ...logsRoutes(logs)], options.port ?? 0)
  return { prometheusUrl: server.url, lokiUrl: server.url, close: () => server.close() }
}

function metricsRoutes(series: IncidentData['series']): readonly Route[] {
  if (series.kind === 'loaded') return prometheusRoutes(series.items, Date.now)
  return answeringAlways(prometheusRoutes([], Date.now), errorAnswer(500, 'internal', series.error.message))
}

function logsRoutes(logs: IncidentData['logs']): readonly Route[] {
  if (logs.kind === 'loaded') return lokiRoutes(logs.items, Date.now)
  return answeringAlways(lokiRoutes([], Date.now), textAnswer(500, logs.error.message))
}
