import { formatTime } from '../../sources/index.ts'
import type { TestIncident } from './test-folder.ts'

/** The things a test moves; none of them is of the shipped data. Only tests use it. */
export type Moved = {
  readonly service: string
  readonly upstream: string
  readonly client: string
  readonly deploy: string
  /** Seconds since the epoch. */
  readonly onset: number
  readonly windowStart: number
  readonly windowEnd: number
  readonly fast: number
  readonly slow: number
  readonly rate: number
  /** Seconds the deployment finished before (negative: after) the onset. */
  readonly lead: number
}

export const usual: Moved = {
  service: 'basket-api',
  upstream: 'ledger-service',
  client: 'ledger-client',
  deploy: 'rollout-77',
  onset: Date.UTC(2031, 1, 3, 15, 20) / 1000,
  windowStart: Date.UTC(2031, 1, 3, 14, 50) / 1000,
  windowEnd: Date.UTC(2031, 1, 3, 15, 50) / 1000,
  fast: 0.12,
  slow: 1.4,
  rate: 40,
  lead: 20,
}

/** Nothing happens. */
export function quietIncident(moved: Moved): TestIncident {
  const wave = (time: number) => 1 + 0.03 * Math.sin(time / 100)
  return {
    service: moved.service,
    start: moved.windowStart,
    end: moved.windowEnd,
    requestRate: (time) => moved.rate * wave(time),
    latency: (time) => moved.fast * wave(time),
    errorShare: () => 0.001,
    cpu: (time) => 0.35 * wave(time),
    memory: (time) => 0.5 * wave(time),
    databaseInUse: (time) => Math.round(8 * wave(time)),
    databaseMax: 40,
    upstreams: { [moved.upstream]: () => moved.fast / 2, 'stock-service': () => 0.04 },
    logs: [
      { from: moved.windowStart, to: moved.windowEnd, every: 20, level: 'info', line: (n) => `request ${n} served` },
      {
        from: moved.windowStart,
        to: moved.windowEnd,
        every: 600,
        level: 'error',
        line: (n) => `bad input in request ${n}`,
      },
    ],
    deployments: [
      {
        id: 'older-1',
        service: moved.service,
        version: '1.0.0',
        finishedAt: formatTime(moved.windowStart - 4 * 3600),
        kind: 'code',
        changes: ['Update texts'],
      },
    ],
    pods: ['a', 'b'].map((name) => ({
      name: `${moved.service}-${name}`,
      service: moved.service,
      node: 'node-1',
      phase: 'Running',
      ready: true,
      restarts: 0,
    })),
    alerts: [
      {
        id: 'alert-x',
        service: moved.service,
        metric: 'P95 latency',
        startedAt: formatTime(moved.onset + 240),
        window: { start: formatTime(moved.windowStart), end: formatTime(moved.windowEnd) },
        severity: 'critical',
      },
    ],
    runbooks: {
      'regression.md':
        '# Latency regression after a deployment\n\nCompare the versions. Roll back when the impact grows.',
      'pool.md': '# Database pool saturation\n\nLook for slow queries.',
    },
  }
}

/** A deployment that changes how an upstream is called makes the service slow. */
export function deployRegression(moved: Moved): TestIncident {
  const quiet = quietIncident(moved)
  const after =
    <TValue>(late: TValue, early: TValue) =>
    (time: number) =>
      time >= moved.onset ? late : early
  return {
    ...quiet,
    latency: after(moved.slow, moved.fast),
    errorShare: after(0.04, 0.001),
    upstreams: { ...quiet.upstreams, [moved.upstream]: after(moved.slow * 0.8, moved.fast / 2) },
    logs: [
      ...quiet.logs,
      {
        from: moved.onset + 5,
        to: moved.windowEnd,
        every: 10,
        level: 'error',
        line: (n) => `${moved.client} timeout after ${1000 + n} ms`,
      },
    ],
    deployments: [
      ...quiet.deployments,
      {
        id: moved.deploy,
        service: moved.service,
        version: '2.0.0',
        previousVersion: '1.0.0',
        finishedAt: formatTime(moved.onset - moved.lead),
        kind: 'code',
        changes: ['Update texts', `Retry calls of ${moved.client} three times`],
      },
    ],
  }
}
