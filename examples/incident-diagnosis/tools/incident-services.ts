/** What the tools of this example stand on. The base URLs are asked for at the first call that needs them. */
export type IncidentServices = {
  /** The folder with alerts, deployments, pods and runbooks. */
  readonly dataDirectory: string
  /** Where `create_incident_ticket` appends; its folder is made when it is not there. */
  readonly ticketsFile: string
  /** Where `send_slack_message` appends. Default: `messages.jsonl` beside the tickets. */
  readonly messagesFile?: string
  /** Where `restart_service` and `rollback_deployment` append. Neither tool is offered without it. */
  readonly actionsFile?: string
  /** Base URL of the Prometheus HTTP API, perhaps with a path prefix and a user and password for basic authentication. */
  readonly prometheusUrl: () => Promise<string>
  /** Base URL of the Loki HTTP API, as for Prometheus. */
  readonly lokiUrl: () => Promise<string>
  /** Milliseconds one request to Prometheus or Loki may take. Default 10 000. */
  readonly requestTimeoutMs?: number
}
