import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTime } from '../../sources/index.ts'

type Signal = (time: number) => number
type LogSpan = {
  readonly from: number
  readonly to: number
  readonly every: number
  readonly level: string
  readonly line: (n: number) => string
}

/** What a made-up incident looks like; times are seconds since the epoch. Only tests use it. */
export type TestIncident = {
  readonly service: string
  readonly start: number
  readonly end: number
  readonly requestRate: Signal
  /** Seconds; the 95th percentile lies near it. */
  readonly latency: Signal
  readonly errorShare: Signal
  readonly cpu: Signal
  readonly memory: Signal
  readonly databaseInUse: Signal
  readonly databaseMax: number
  readonly upstreams: Readonly<Record<string, Signal>>
  /** Upstreams that measure themselves. */
  readonly upstreamsOwn?: Readonly<Record<string, Signal>>
  readonly logs: readonly LogSpan[]
  readonly deployments: readonly unknown[]
  readonly pods: readonly unknown[]
  readonly alerts: readonly unknown[]
  readonly runbooks: Readonly<Record<string, string>>
}

const scrapeSeconds = 60
const bounds = [0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 1.5, 2, 3, 5, Infinity]
const shares: readonly (readonly [share: number, of: number])[] = [
  [0.5, 0.5],
  [0.3, 0.7],
  [0.14, 0.9],
  [0.06, 1.05],
]

/** Writes an incident as a data folder, leaving out the files named. */
export async function writeTestFolder(
  directory: string,
  incident: TestIncident,
  without: readonly string[] = [],
): Promise<void> {
  await mkdir(join(directory, 'runbooks'), { recursive: true })
  const files: Readonly<Record<string, string>> = {
    'metrics.om': metricsText(incident),
    'logs.jsonl': logsText(incident),
    'deployments.json': JSON.stringify(incident.deployments),
    'pods.json': JSON.stringify(incident.pods),
    'alerts.json': JSON.stringify(incident.alerts),
  }
  for (const [name, text] of Object.entries(files)) {
    if (!without.includes(name)) await writeFile(join(directory, name), text)
  }
  for (const [name, text] of Object.entries(incident.runbooks)) await writeFile(join(directory, 'runbooks', name), text)
}

function metricsText(incident: TestIncident): string {
  const { service } = incident
  const times: number[] = []
  for (let time = incident.start - 600; time <= incident.end; time += scrapeSeconds) times.push(time)
  const gauge = (name: string, labels: string, signal: Signal) => [
    `# TYPE ${name} gauge`,
    ...times.map((time) => `${name}{${labels}} ${signal(time)} ${time}`),
  ]
  const own = `service="${service}"`
  const upstreams = Object.entries(incident.upstreams)
  return [
    '# TYPE http_request_duration_seconds histogram',
    ...histogram('http_request_duration_seconds', own, {
      times,
      perSecond: incident.requestRate,
      latency: incident.latency,
    }),
    ...histogram('http_request_duration_seconds', 'service="bystander"', {
      times,
      perSecond: () => 7,
      latency: () => 0.09,
    }),
    ...(upstreams.length === 0 ? [] : ['# TYPE upstream_request_duration_seconds histogram']),
    ...upstreams.flatMap(([name, latency]) =>
      histogram('upstream_request_duration_seconds', `${own},upstream="${name}"`, {
        times,
        perSecond: incident.requestRate,
        latency,
      }),
    ),
    ...Object.entries(incident.upstreamsOwn ?? {}).flatMap(([name, latency]) =>
      histogram('http_request_duration_seconds', `service="${name}"`, {
        times,
        perSecond: incident.requestRate,
        latency,
      }),
    ),
    '# TYPE http_requests counter',
    ...counter(
      'http_requests_total',
      `${own},code="200"`,
      times,
      (time) => incident.requestRate(time) * (1 - incident.errorShare(time)),
    ),
    ...counter(
      'http_requests_total',
      `${own},code="500"`,
      times,
      (time) => incident.requestRate(time) * incident.errorShare(time),
    ),
    ...gauge('container_cpu_usage_ratio', `${own},pod="pod-a"`, incident.cpu),
    ...gauge('container_memory_usage_ratio', `${own},pod="pod-a"`, incident.memory),
    ...gauge('db_connections_in_use', own, incident.databaseInUse),
    ...gauge('db_connections_max', own, () => incident.databaseMax),
    '# EOF',
    '',
  ].join('\n')
}

function counter(name: string, labels: string, times: readonly number[], perSecond: Signal): readonly string[] {
  let total = 1000
  return times.map((time) => `${name}{${labels}} ${(total += perSecond(time) * scrapeSeconds)} ${time}`)
}

type Observed = { readonly times: readonly number[]; readonly perSecond: Signal; readonly latency: Signal }

function histogram(name: string, labels: string, observed: Observed): readonly string[] {
  const { times, perSecond, latency } = observed
  return bounds.flatMap((bound) =>
    counter(`${name}_bucket`, `${labels},le="${bound === Infinity ? '+Inf' : bound}"`, times, (time) => {
      const below = shares.reduce((sum, [share, of]) => sum + (of * latency(time) <= bound ? share : 0), 0)
      return perSecond(time) * below
    }),
  )
}

function logsText(incident: TestIncident): string {
  return incident.logs
    .flatMap(({ from, to, every, level, line }) => {
      const lines: string[] = []
      for (let time = from, n = 0; time < to; time += every, n++) {
        lines.push(
          JSON.stringify({ ts: formatTime(time), labels: { service: incident.service, level }, line: line(n) }),
        )
      }
      return lines
    })
    .join('\n')
}
