import { formatTime } from '../sources/index.ts'
import { longestStepSeconds } from '../tools/index.ts'
import type { PlannedCall } from './planned-call.ts'
import type { Window } from './prompt/stated-window.ts'

const deploymentLookBackSeconds = 24 * 3600
const mostSteps = 180

/**
 * Seconds between two points: a minute, more for windows whose series would get too long for a model to read, and never
 * more than the tool takes.
 */
export function stepOf(window: Window): number {
  const seconds = Math.ceil((window.end - window.start) / mostSteps / 60) * 60
  return Math.min(longestStepSeconds, Math.max(60, seconds))
}

/** Everything that is asked about a service in a window, independent of each other. */
export function collectionCalls(service: string, window: Window): readonly PlannedCall[] {
  const range = { start_time: formatTime(window.start), end_time: formatTime(window.end) }
  const own = `service=${quote(service)}`
  const metric = (id: string, promql: string): PlannedCall => ({
    id,
    tool: 'prometheus_query_range',
    arguments: { promql, ...range, step_seconds: stepOf(window) },
  })
  const logs = (id: string, logql: string, limit: number): PlannedCall => ({
    id,
    tool: 'loki_search',
    arguments: { logql, ...range, limit },
  })
  const serverErrors = `sum(rate(http_requests_total{${own},code=~"5.."}[5m]))`
  const requests = `sum(rate(http_requests_total{${own}}[5m]))`
  return [
    metric('latency', `histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{${own}}[5m])))`),
    metric('request-rate', requests),
    metric('error-ratio', `${serverErrors} / ${requests}`),
    metric('cpu', `max(container_cpu_usage_ratio{${own}})`),
    metric('memory', `max(container_memory_usage_ratio{${own}})`),
    metric('database-in-use', `sum(db_connections_in_use{${own}})`),
    metric('database-max', `sum(db_connections_max{${own}})`),
    metric(
      'upstreams',
      `histogram_quantile(0.95, sum by (upstream, le) (rate(upstream_request_duration_seconds_bucket{${own}}[5m])))`,
    ),
    logs('error-logs', `{${own},level="error"}`, 5),
    logs('all-logs', `{${own}}`, 1),
    { id: 'pods', tool: 'kubernetes_get_pods', arguments: { service } },
    {
      id: 'deployments',
      tool: 'list_recent_deployments',
      arguments: { start_time: formatTime(window.start - deploymentLookBackSeconds), end_time: range.end_time },
    },
  ]
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
