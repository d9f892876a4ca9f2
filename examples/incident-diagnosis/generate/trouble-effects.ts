import { changeEffects } from './change-effects.ts'
import type { TroubleParameters } from './incident-parameters.ts'
import { errors, slowUpstream, wanderingStep } from './from-onset.ts'
import type { Random } from './random.ts'
import type { ServiceBehaviour } from './scenario.ts'
import { stepAt } from './signal.ts'
import type { Effects } from './effects.ts'

/** What a trouble does from its onset on. */
export function troubleEffects(parameters: TroubleParameters, random: Random): Effects {
  const { kind, onset, baseLatency, requestRate } = parameters
  const slow = slowService(parameters)
  const surge = 2.2 + 1.3 * random.next()
  switch (kind) {
    case 'deployment':
    case 'config-change':
    case 'flag-change':
    case 'two-suspects':
      return changeEffects(parameters, { slow, random })
    case 'database-saturation':
      return {
        own: {
          ...slow,
          database: { inUse: stepAt({ at: onset - 60, before: 12, after: 43, rampSeconds: 60 }), maximum: 40 },
        },
        logs: errors(onset, 0.25, 'no connection free in the pool after'),
      }
    case 'traffic-surge':
      return {
        own: {
          ...slow,
          requestRate: wanderingStep(parameters, requestRate, requestRate * surge),
          cpuRatio: wanderingStep(parameters, 0.35, 0.9),
          database: { inUse: stepAt({ at: onset, before: 12, after: 24, rampSeconds: 60 }), maximum: 40 },
        },
        logs: errors(onset, 0.2, 'request queue full, shed after'),
      }
    case 'cpu-exhaustion':
      return {
        own: { ...slow, cpuRatio: stepAt({ at: onset - 30, before: 0.35, after: 0.98, rampSeconds: 30 }) },
        logs: errors(onset, 0.1, 'worker waited too long for its turn:'),
      }
    case 'memory-exhaustion':
      return {
        own: { ...slow, memoryRatio: stepAt({ at: onset - 600, before: 0.55, after: 0.98, rampSeconds: 600 }) },
        logs: errors(onset, 0.1, 'java.lang.OutOfMemoryError: heap space, pause'),
        pod: (pod, index) => ({
          ...pod,
          restarts: 2,
          lastRestartAt: onset + 20 + 60 * index,
          lastRestartReason: 'OOMKilled',
        }),
      }
    case 'dependency-failure':
      return {
        own: { ...slow, upstreams: slowUpstream(parameters) },
        upstreamOwn: { latency: wanderingStep(parameters, baseLatency * 0.5, baseLatency * parameters.slowdown * 0.8) },
        logs: errors(onset, 0.2, `call to ${parameters.upstream} gave no answer within`),
      }
    case 'false-alarm':
      return {}
    default:
      return kind satisfies never
  }
}

/** The service's own latency and failures, worse from the onset on. */
function slowService(parameters: TroubleParameters): Pick<ServiceBehaviour, 'latency' | 'failureRatio'> {
  const { onset, rampSeconds, baseLatency, slowdown } = parameters
  return {
    latency: wanderingStep(parameters, baseLatency, baseLatency * slowdown),
    failureRatio: stepAt({ at: onset, before: 0.002, after: 0.04, rampSeconds }),
  }
}
