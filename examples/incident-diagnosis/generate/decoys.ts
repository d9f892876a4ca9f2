import type { Decoy, TroubleParameters } from './incident-parameters.ts'
import type { Deployment } from './scenario.ts'
import { constant } from './signal.ts'
import type { Effects } from './effects.ts'

const hour = 3600

/** What the decoys of an incident do; an old change of the service is always there. */
export function decoysOf(parameters: TroubleParameters): readonly Effects[] {
  const old = innocent(parameters, { id: 'old', finishedAt: parameters.onset - 20 * hour })
  return [{ deployments: [old] }, ...parameters.decoys.map((decoy) => effectsOf(decoy, parameters))]
}

function effectsOf(decoy: Decoy, parameters: TroubleParameters): Effects {
  const { onset, bystander } = parameters
  switch (decoy) {
    case 'deploy-before':
      return { deployments: [innocent(parameters, { id: 'near', finishedAt: onset - 240 })] }
    case 'deploy-after':
      return { deployments: [innocent(parameters, { id: 'late', finishedAt: onset + 420 })] }
    case 'bystander-deploy':
      return {
        deployments: [{ ...innocent(parameters, { id: 'other', finishedAt: onset - 60 }), service: bystander }],
      }
    case 'full-memory':
      return { own: { memoryRatio: constant(0.92) } }
    case 'restart-long-ago':
      return {
        pod: (pod, index) =>
          index === 0 ? { ...pod, restarts: 1, lastRestartAt: onset - 30 * hour, lastRestartReason: 'OOMKilled' } : pod,
      }
    case 'noisy-log':
      return {
        logs: [
          {
            level: 'error',
            rate: constant(0.05),
            line: (random) => `mail relay answered 451, try ${1 + Math.floor(random.next() * 5)} again later`,
          },
        ],
      }
    default:
      return decoy satisfies never
  }
}

function innocent(
  { service, changeIds }: TroubleParameters,
  change: { readonly id: string; readonly finishedAt: number },
): Deployment {
  return {
    id: `${changeIds.decoy}-${change.id}`,
    service,
    version: '3.2.1',
    previousVersion: '3.2.0',
    finishedAt: change.finishedAt,
    kind: 'code',
    changes: ['translate the footer of the account page'],
  }
}
