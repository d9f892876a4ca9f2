import type { Cause } from '../../report/index.ts'

/** The kind of evidence that can agree with a cause in time. */
export type TimedKind = 'metric' | 'log' | 'pod'

/**
 * What ties a cause to the symptoms: `mechanism`, something that was measured or written says how one leads to the
 * other; `time`, nothing but that it came at the right moment.
 */
export type Link = 'mechanism' | 'time'

/**
 * One possible cause. `score` is 0 for what the evidence speaks against, from about 3 for a serious suspicion;
 * `agrees` holds the kinds of evidence whose onset is within one step of the cause; `because` is one sentence for or
 * against it; `cites` are keys of the evidence it rests on.
 */
export type Hypothesis = {
  readonly cause: Cause
  readonly subject: string
  readonly score: number
  readonly agrees: readonly TimedKind[]
  readonly link: Link
  readonly because: string
  readonly cites: readonly EvidenceKey[]
}

/** Names an entry of the evidence before it has an id. */
export type EvidenceKey =
  | 'alert'
  | 'latency'
  | 'errors'
  | 'upstreams'
  | 'upstreams-own'
  | 'logs'
  | 'deployments'
  | 'rate'
  | 'cpu'
  | 'memory'
  | 'database'
  | 'database-limit'
  | 'pods'
  | 'runbook'

/** A score from which a second hypothesis is a serious rival. */
export const seriousScore = 3
