import { formatTime } from '../sources/index.ts'
import { stepOf } from './collection-calls.ts'
import type { Facts } from './facts/facts.ts'
import type { PlannedCall } from './planned-call.ts'
import { detectOnset } from './series/detect-onset.ts'
import { slower } from './series/rise-limits.ts'

const mostUpstreams = 5

/** What only the first results make worth asking: how upstreams that look slow from here measure themselves. */
export function followUpCalls(facts: Facts): readonly PlannedCall[] {
  const { window } = facts
  const slow = (facts.upstreams?.value ?? [])
    .filter(({ points }) => detectOnset(points, slower) !== null)
    .slice(0, mostUpstreams)
  if (window === null || slow.length === 0) return []
  const names = slow.map(({ name }) => escapeForPattern(name)).join('|')
  return [
    {
      id: 'upstreams-own',
      tool: 'prometheus_query_range',
      arguments: {
        promql: `histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket{service=~"${names}"}[5m])))`,
        start_time: formatTime(window.start),
        end_time: formatTime(window.end),
        step_seconds: stepOf(window),
      },
    },
  ]
}

/** Escapes a name for a pattern inside a double-quoted PromQL string. */
function escapeForPattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\\$&`).replaceAll('"', String.raw`\"`)
}
