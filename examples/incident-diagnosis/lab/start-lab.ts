import { serveRoutes } from './http/serve-routes.ts'
import { readIncidentData } from './incident-data/read-incident-data.ts'
import { lokiRoutes } from './loki-api/loki-routes.ts'
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
 * The folder is read once. A missing file is an empty source; a missing folder or a malformed line throws an IncidentDataError.
 * The lab does not keep the process alive.
 */
export async function startLab(options: { readonly dataDirectory: string }): Promise<Lab> {
  const { series, logs } = await readIncidentData(options.dataDirectory)
  const server = await serveRoutes([...prometheusRoutes(series, Date.now), ...lokiRoutes(logs, Date.now)])
  return { prometheusUrl: server.url, lokiUrl: server.url, close: () => server.close() }
}
