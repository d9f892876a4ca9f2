import { renderLogLines } from './log-lines.ts'
import { renderOpenMetrics } from './metric-family.ts'
import type { Scenario } from './scenario.ts'
import { isoTime } from './iso-time.ts'
import { serviceMetrics } from './service-metrics.ts'

/** The files of an incident data folder: path in the folder to text. */
export type IncidentFiles = ReadonlyMap<string, string>

/** Writes a scenario down as the files of an incident data folder; the same scenario always gives the same bytes. */
export function renderIncident(scenario: Scenario): IncidentFiles {
  const iso = (seconds: number) => isoTime(seconds, scenario.utcOffsetMinutes ?? 0)
  return new Map([
    ['metrics.om', renderOpenMetrics(serviceMetrics(scenario))],
    ['logs.jsonl', renderLogLines(scenario)],
    ['deployments.json', json(scenario.deployments.map((entry) => ({ ...entry, finishedAt: iso(entry.finishedAt) })))],
    [
      'pods.json',
      json(
        scenario.pods.map(({ lastRestartAt, ...entry }) =>
          lastRestartAt === undefined ? entry : { ...entry, lastRestartAt: iso(lastRestartAt) },
        ),
      ),
    ],
    [
      'alerts.json',
      json(
        scenario.alerts.map(({ window, ...entry }) => ({
          ...entry,
          startedAt: iso(entry.startedAt),
          ...(window === undefined ? {} : { window: { start: iso(window.start), end: iso(window.end) } }),
        })),
      ),
    ],
    ...[...scenario.runbooks].map(([name, text]) => [`runbooks/${name}`, text] as const),
  ])
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
