import type { z } from 'zod'
import type { Language } from '../../report/index.ts'
import type { alertResult, deploymentsResult, logResult, podsResult, runbooksResult } from '../../tools/index.ts'
import type { Window } from '../prompt/stated-window.ts'
import type { Point } from '../series/series.ts'

/** Something that was read, and the URI of the recorded result it stands in. */
export type Read<TValue> = { readonly value: TValue; readonly uri: string }

export type AlertFact = NonNullable<z.output<typeof alertResult>['alert']>
export type DeploymentFact = z.output<typeof deploymentsResult>['deployments'][number]
export type LogFacts = z.output<typeof logResult>
export type LogPatternFact = LogFacts['patterns'][number]
export type PodFacts = z.output<typeof podsResult>
export type RunbookFact = z.output<typeof runbooksResult>['runbooks'][number]
export type UpstreamFact = { readonly name: string; readonly points: readonly Point[] }

/** Everything a diagnosis may rest on. `null` is what nobody could read; why stands in `gaps`. */
export type Facts = {
  /** The language everything about these facts is said in. */
  readonly language: Language
  readonly service: string
  readonly window: Window | null
  readonly stepSeconds: number
  readonly alert: Read<AlertFact> | null
  readonly latency: Read<readonly Point[]> | null
  readonly requestRate: Read<readonly Point[]> | null
  /** No points when requests were counted and none of them failed. */
  readonly errorRatio: Read<readonly Point[]> | null
  readonly cpu: Read<readonly Point[]> | null
  readonly memory: Read<readonly Point[]> | null
  readonly databaseInUse: Read<readonly Point[]> | null
  readonly databaseMax: Read<readonly Point[]> | null
  readonly upstreams: Read<readonly UpstreamFact[]> | null
  /** How upstreams that look slow measure themselves; `null` as well when nobody measures them. */
  readonly upstreamsOwn: Read<readonly UpstreamFact[]> | null
  readonly errorLogs: Read<LogFacts> | null
  readonly pods: Read<PodFacts> | null
  readonly deployments: Read<readonly DeploymentFact[]> | null
  readonly runbooks: Read<readonly RunbookFact[]> | null
  readonly gaps: readonly string[]
}
