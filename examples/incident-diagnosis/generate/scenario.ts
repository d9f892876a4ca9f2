import type { Random } from './random.ts'
import type { Signal } from './signal.ts'

/** Everything that happens in one made-up incident, before it is written down as files. Times are seconds since 1970. */
export interface Scenario {
  readonly seed: number
  readonly period: Period
  readonly scrapeSeconds: number
  /** Zone in which the files state their times; UTC when left out. */
  readonly utcOffsetMinutes?: number
  readonly services: readonly ServiceBehaviour[]
  readonly logs: readonly LogSource[]
  readonly deployments: readonly Deployment[]
  readonly pods: readonly Pod[]
  readonly alerts: readonly Alert[]
  readonly runbooks: ReadonlyMap<string, string>
}

/** A stretch of time, both ends included. */
export interface Period {
  readonly start: number
  readonly end: number
}

/** How one service behaves; latencies are 95th percentiles in seconds, rates per second, ratios of 1. */
export interface ServiceBehaviour {
  readonly name: string
  readonly podNames: readonly string[]
  readonly requestRate: Signal
  readonly latency: Signal
  readonly failureRatio: Signal
  readonly cpuRatio: Signal
  readonly memoryRatio: Signal
  readonly database?: { readonly inUse: Signal; readonly maximum: number }
  readonly upstreams: readonly { readonly name: string; readonly latency: Signal }[]
}

/** Lines of one kind: how many per second, and what each says. */
export interface LogSource {
  readonly service: string
  readonly level: 'error' | 'warn' | 'info'
  readonly podNames: readonly string[]
  readonly rate: Signal
  readonly line: (random: Random) => string
}

/** An entry of `deployments.json`. */
export interface Deployment {
  readonly id: string
  readonly service: string
  readonly version: string
  readonly previousVersion?: string
  readonly finishedAt: number
  readonly kind: 'code' | 'config' | 'flag'
  readonly changes: readonly string[]
}

/** An entry of `pods.json`. */
export interface Pod {
  readonly name: string
  readonly service: string
  readonly node: string
  readonly phase: 'Running' | 'Pending' | 'Failed'
  readonly ready: boolean
  readonly restarts: number
  readonly lastRestartAt?: number
  readonly lastRestartReason?: string
}

/** An entry of `alerts.json`. */
export interface Alert {
  readonly id: string
  readonly service: string
  readonly metric: string
  readonly from?: string
  readonly to?: string
  readonly startedAt: number
  readonly window?: Period
  readonly severity: 'critical' | 'warning'
}
