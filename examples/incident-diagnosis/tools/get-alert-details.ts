import { z } from 'zod'
import { tool, ToolError, type Tool } from '@fairlead/runtime'
import {
  formatTime,
  itemsOf,
  parseTime,
  readAlerts,
  readDeployments,
  readPods,
  type Alert,
  type Source,
} from '../sources/index.ts'
import { serviceArgument } from './arguments.ts'
import type { IncidentServices } from './incident-services.ts'
import { success } from './success.ts'

const halfDefaultWindowSeconds = 30 * 60

/** What `get_alert_details` answers; `alert` is `null` when the service has none or the source is missing. */
export const alertResult = z.object({
  source: z.enum(['present', 'missing']),
  service: z.string(),
  alert: z
    .object({
      id: z.string(),
      metric: z.string(),
      from: z.union([z.string(), z.number()]).nullable(),
      to: z.union([z.string(), z.number()]).nullable(),
      startedAt: z.string(),
      window: z.object({ start: z.string(), end: z.string() }),
      severity: z.string(),
    })
    .nullable(),
  otherAlertIds: z.array(z.string()),
})

/** The tool that reads one alert, the newest of a service unless an id is given. */
export function getAlertDetails(services: IncidentServices): Tool {
  return tool({
    name: 'get_alert_details',
    description:
      'Read one alert of a service: metric, values before and after, start, severity and the time window to examine. Use it first in an incident, to learn what happened when. Do not use it for metric values over time or for logs.',
    inputSchema: z.strictObject({
      service: serviceArgument('Exact name of the service the alert is about.'),
      alert_id: z.string().min(1).max(200).optional().describe('Id of one alert. Leave it out for the newest alert.'),
    }),
    effects: 'read',
    tags: ['incident', 'alerts'],
    errorCodes: ['UNKNOWN_SERVICE', 'UNKNOWN_ALERT', 'BAD_DATA'],
    execute: async ({ service, alert_id: alertId }) => {
      const alerts = await readAlerts(services.dataDirectory)
      const own = newestFirst(itemsOf(alerts).filter((alert) => alert.service === service))
      await requireKnownService(service, alerts, services.dataDirectory)
      const alert = alertId === undefined ? own[0] : own.find((candidate) => candidate.id === alertId)
      if (alertId !== undefined && alert === undefined) throw unknownAlert(service, alertId, own)
      const otherAlertIds = own.filter((candidate) => candidate !== alert).map((candidate) => candidate.id)
      return success(
        { source: alerts.kind, service, alert: alert === undefined ? null : describe(alert), otherAlertIds },
        summarise(service, alerts, alert),
      )
    },
  })
}

function newestFirst(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.toSorted((left, right) => secondsOf(right.startedAt) - secondsOf(left.startedAt))
}

async function requireKnownService(service: string, alerts: Source<Alert>, directory: string): Promise<void> {
  // Without the alerts nobody can say which services exist.
  if (alerts.kind === 'missing') return
  const known = new Set(alerts.items.map((alert) => alert.service))
  if (known.has(service)) return
  const others = await Promise.allSettled([readDeployments(directory), readPods(directory)])
  for (const each of others) {
    if (each.status === 'fulfilled') {
      for (const item of itemsOf<{ readonly service: string }>(each.value)) known.add(item.service)
    } else if (!(each.reason instanceof ToolError)) throw each.reason
  }
  // A source that cannot be read may name the service, so it is not called unknown.
  if (known.has(service) || others.some(({ status }) => status === 'rejected')) return
  const names = known.size === 0 ? 'none' : [...known].toSorted().join(', ')
  throw new ToolError('UNKNOWN_SERVICE', `There is no service "${service}". Known services: ${names}`)
}

function unknownAlert(service: string, alertId: string, own: readonly Alert[]): ToolError {
  const names = own.length === 0 ? 'none' : own.map((alert) => alert.id).join(', ')
  return new ToolError('UNKNOWN_ALERT', `${service} has no alert "${alertId}". Known alerts of it: ${names}`)
}

function describe(alert: Alert) {
  const startedAt = secondsOf(alert.startedAt)
  return {
    id: alert.id,
    metric: alert.metric,
    from: alert.from ?? null,
    to: alert.to ?? null,
    startedAt: alert.startedAt,
    window: alert.window ?? {
      start: formatTime(startedAt - halfDefaultWindowSeconds),
      end: formatTime(startedAt + halfDefaultWindowSeconds),
    },
    severity: alert.severity,
  }
}

function secondsOf(time: string): number {
  return parseTime(time) ?? 0
}

function summarise(service: string, alerts: Source<Alert>, alert: Alert | undefined): string {
  if (alerts.kind === 'missing')
    return `No data: there is no alert source (alerts.json), so this says nothing about alerts of ${service}.`
  if (alert === undefined) return `${service} has no alert.`
  const { from, to } = describe(alert)
  const change = from === null || to === null ? '' : ` from ${from} to ${to}`
  return `Alert ${alert.id} of ${service}: ${alert.metric}${change}, started ${alert.startedAt}, severity ${alert.severity}.`
}
