/** What the tools of this example stand on. The base URLs are asked for at the first call that needs them. */
export type IncidentServices = {
  /** The folder with alerts, deployments, pods and runbooks. */
  readonly dataDirectory: string
  /** Where `create_incident_ticket` appends; its folder is made when it is not there. */
  readonly ticketsFile: string
  /** Base URL of the Prometheus HTTP API, without a path. */
  readonly prometheusUrl: () => Promise<string>
  /** Base URL of the Loki HTTP API, without a path. */
  readonly lokiUrl: () => Promise<string>
  /** Milliseconds one request to Prometheus or Loki may take. Default 10 000. */
  readonly requestTimeoutMs?: number
}
