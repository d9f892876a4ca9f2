import type { TroubleParameters } from './incident-parameters.ts'
import type { LogSource, Pod, ServiceBehaviour } from './scenario.ts'
import { constant, swinging, type Signal } from './signal.ts'

/** A quantity that wanders by about `share` of its value, the same way for the same seed. */
export function wandering(value: Signal, share: number, seed: number): Signal {
  return swinging(swinging(value, { share: share * 0.7, periodSeconds: 371 + (seed % 97) }), {
    share,
    periodSeconds: 1930 + (seed % 389),
  })
}

/** How a service behaves when nothing is wrong. */
export function quietBehaviour(given: {
  readonly name: string
  readonly podNames: readonly string[]
  readonly latency: number
  readonly requestRate: number
  readonly parameters: TroubleParameters
}): ServiceBehaviour {
  const { name, podNames, latency, parameters } = given
  const { upstream, bystander, noise, seed } = parameters
  const wander = (value: number, salt: number) => wandering(constant(value), noise, seed + salt)
  return {
    name,
    podNames,
    requestRate: wander(given.requestRate, 1),
    latency: wander(latency, 2),
    failureRatio: constant(0.002),
    cpuRatio: wander(0.35, 3),
    memoryRatio: constant(0.5),
    database: { inUse: wander(12, 4), maximum: 40 },
    upstreams: [
      { name: upstream, latency: wander(latency * 0.55, 5) },
      { name: bystander, latency: wander(latency * 0.35, 6) },
    ],
  }
}

/** Pods of a service that run and were never restarted. */
export function quietPods(service: string, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${service}-${index}`,
    service,
    node: `node-${String.fromCodePoint(97 + (index % 3))}`,
    phase: 'Running',
    ready: true,
    restarts: 0,
  }))
}

/** The lines that are always there: requests of every service and a rare error. */
export function quietLogs(
  { service, upstream, bystander }: TroubleParameters,
  podNames: (service: string) => readonly string[],
): readonly LogSource[] {
  const source = (name: string, rest: Pick<LogSource, 'level' | 'rate' | 'line'>): LogSource => ({
    ...rest,
    service: name,
    podNames: podNames(name),
  })
  return [
    ...[service, upstream, bystander].map((name) =>
      source(name, {
        level: 'info',
        rate: constant(0.05),
        line: (random) => `served request id=${Math.floor(random.next() * 1e6)}`,
      }),
    ),
    source(service, {
      level: 'error',
      rate: constant(0.002),
      line: (random) => `rejected malformed body id=${Math.floor(random.next() * 1e6)}`,
    }),
  ]
}
