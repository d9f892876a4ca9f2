import { clientName } from './client-name.ts'
import type { TroubleParameters } from './incident-parameters.ts'
import type { Random } from './random.ts'
import type { Deployment, ServiceBehaviour } from './scenario.ts'
import type { Effects } from './effects.ts'
import { errors, slowUpstream } from './from-onset.ts'

/** What a change of the service does: it breaks the calls to the upstream, or code of its own. */
export function changeEffects(
  parameters: TroubleParameters,
  given: { readonly slow: Partial<ServiceBehaviour>; readonly random: Random },
): Effects {
  const { onset, upstream, changeIds } = parameters
  const client = clientName(upstream)
  const breaksClient = given.random.next() < 0.6
  const part = breaksClient ? client : given.random.pick(['price-table', 'cart-renderer', 'session-cache'])
  const guilty = changeOf(parameters, {
    id: changeIds.first,
    changes: [
      breaksClient
        ? `${client}: wait 400 ms for an answer (was 4 s), retry twice`
        : `${part}: computed on each request`,
      'shorter names for two dashboards',
    ],
  })
  const innocent = changeOf(parameters, { id: changeIds.second, changes: ['show the new greeting to everybody'] })
  return {
    own: { ...given.slow, ...(breaksClient ? { upstreams: slowUpstream(parameters) } : {}) },
    logs: errors(onset, 0.2, `${part} gave up after`),
    deployments:
      parameters.kind === 'two-suspects'
        ? [guilty, { ...innocent, kind: 'flag', finishedAt: guilty.finishedAt - 20 }]
        : [guilty],
  }
}

function changeOf(
  { kind, service, onset, changeLeadSeconds }: TroubleParameters,
  change: { readonly id: string; readonly changes: readonly string[] },
): Deployment {
  return {
    ...change,
    service,
    version: '3.3.0',
    previousVersion: '3.2.1',
    finishedAt: onset - changeLeadSeconds,
    kind: kind === 'config-change' ? 'config' : kind === 'flag-change' ? 'flag' : 'code',
  }
}
