import type { TroubleParameters } from './incident-parameters.ts'
import { quietBehaviour, wandering } from './quiet-service.ts'
import type { LogSource, ServiceBehaviour } from './scenario.ts'
import { constant, startingAt, stepAt, type Signal } from './signal.ts'

/** The calls of a service, those to its upstream slower from the onset on. */
export function slowUpstream(parameters: TroubleParameters): ServiceBehaviour['upstreams'] {
  const { service, baseLatency, slowdown, upstream } = parameters
  const quiet = quietBehaviour({ name: service, podNames: [], latency: baseLatency, requestRate: 1, parameters })
  const latency = wanderingStep(parameters, baseLatency * 0.55, baseLatency * slowdown * 0.85)
  return quiet.upstreams.map((each) => (each.name === upstream ? { name: upstream, latency } : each))
}

/** Error lines from the onset on. */
export function errors(
  onset: number,
  perSecond: number,
  words: string,
): readonly Omit<LogSource, 'service' | 'podNames'>[] {
  return [
    {
      level: 'error',
      rate: startingAt(onset + 4, constant(perSecond)),
      line: (random) => `${words} ${400 + Math.floor(random.next() * 900)} ms`,
    },
  ]
}

/** A quantity that moves to another level at the onset and wanders around both. */
export function wanderingStep(parameters: TroubleParameters, before: number, after: number): Signal {
  const { onset, rampSeconds, noise, seed } = parameters
  return wandering(stepAt({ at: onset, before, after, rampSeconds }), noise, seed)
}
