import type { Period } from './scenario.ts'

/**
 * What is wrong in a made-up incident. `false-alarm` is an alert without any change; in `two-suspects` a deployment and
 * a flag finished together and only one of them, by its changes, has to do with what is in trouble.
 */
export type Trouble =
  | 'deployment'
  | 'config-change'
  | 'flag-change'
  | 'database-saturation'
  | 'traffic-surge'
  | 'cpu-exhaustion'
  | 'memory-exhaustion'
  | 'dependency-failure'
  | 'false-alarm'
  | 'two-suspects'

/** Something beside the trouble that might be taken for its cause. `deploy-…` is said by when it finished, from the onset. */
export type Decoy =
  | 'deploy-before'
  | 'deploy-after'
  | 'bystander-deploy'
  | 'full-memory'
  | 'restart-long-ago'
  | 'noisy-log'

/** Names and numbers of a made-up incident; times are seconds since 1970, latencies 95th percentiles in seconds. */
export interface TroubleParameters {
  readonly kind: Trouble
  readonly seed: number
  readonly service: string
  /** A called service; the troubled one when the trouble is a dependency. */
  readonly upstream: string
  /** A called service that has nothing to do with it. */
  readonly bystander: string
  /** Ids of changes: the guilty ones in order, and the one every decoy takes its own from by a suffix. */
  readonly changeIds: { readonly first: string; readonly second: string; readonly decoy: string }
  readonly onset: number
  readonly window: Period
  readonly alertStatesWindow: boolean
  readonly baseLatency: number
  /** How many times slower the service gets; over 1. */
  readonly slowdown: number
  /** Seconds from the first slower request to the full slowdown. */
  readonly rampSeconds: number
  /** Seconds from the guilty change's end to the onset. */
  readonly changeLeadSeconds: number
  /** Requests per second of the service. */
  readonly requestRate: number
  readonly podCount: number
  readonly scrapeSeconds: number
  /** Share by which quantities wander on their own, 0 to about 0.15. */
  readonly noise: number
  readonly decoys: readonly Decoy[]
  /** Zone in which the files state their times. */
  readonly utcOffsetMinutes: number
  /** Files of the folder that are left out, for example `pods.json`. */
  readonly missingFiles: readonly string[]
}
