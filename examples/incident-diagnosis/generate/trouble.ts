import { decoysOf } from './decoys.ts'
import type { TroubleParameters } from './incident-parameters.ts'
import { quietBehaviour, quietLogs, quietPods } from './quiet-service.ts'
import { randomFor } from './random.ts'
import { runbooks } from './runbook-texts.ts'
import type { Scenario, ServiceBehaviour } from './scenario.ts'
import { troubleEffects } from './trouble-effects.ts'

const leadInSeconds = 600

/** The scenario of a trouble with its decoys. */
export function trouble(parameters: TroubleParameters): Scenario {
  const { seed, service, upstream, bystander, window, requestRate } = parameters
  // A decoy only adds; where both touch one quantity the trouble wins.
  const effects = [...decoysOf(parameters), troubleEffects(parameters, randomFor(seed, 'flavour'))]
  const pods = [
    ...quietPods(service, parameters.podCount).map((pod, index) =>
      effects.reduce((changed, { pod: change }) => change?.(changed, index) ?? changed, pod),
    ),
    ...[upstream, bystander].flatMap((name) => quietPods(name, 1)),
  ]
  const podNames = (name: string) => pods.filter((pod) => pod.service === name).map((pod) => pod.name)
  const quiet = (name: string, share: number, latency: number): ServiceBehaviour => ({
    ...quietBehaviour({ name, podNames: podNames(name), latency, requestRate: requestRate * share, parameters }),
  })
  const own: ServiceBehaviour = {
    ...quiet(service, 1, parameters.baseLatency),
    ...Object.assign({}, ...effects.map((each) => each.own ?? {})),
  }
  return {
    seed,
    utcOffsetMinutes: parameters.utcOffsetMinutes,
    period: { start: window.start - leadInSeconds, end: window.end },
    scrapeSeconds: parameters.scrapeSeconds,
    services: [
      own,
      {
        ...quiet(upstream, 0.9, parameters.baseLatency * 0.5),
        ...Object.assign({}, ...effects.map((each) => each.upstreamOwn ?? {})),
        upstreams: [],
      },
      { ...quiet(bystander, 0.4, parameters.baseLatency * 0.3), upstreams: [] },
    ],
    logs: [
      ...quietLogs(parameters, podNames),
      ...effects
        .flatMap(({ logs }) => logs ?? [])
        .map((source) => ({ ...source, service, podNames: podNames(service) })),
    ],
    deployments: effects.flatMap(({ deployments }) => deployments ?? []),
    pods,
    alerts: [alertOf(parameters)],
    runbooks,
  }
}

function alertOf(parameters: TroubleParameters): Scenario['alerts'][number] {
  const { service, onset, window, baseLatency, slowdown } = parameters
  return {
    id: `alert-${service}-latency`,
    service,
    metric: 'P95 request latency',
    from: `${Math.round(baseLatency * 1000)} ms`,
    to: `${Math.round(baseLatency * slowdown * 1000)} ms`,
    startedAt: onset + 180,
    severity: 'critical',
    ...(parameters.alertStatesWindow ? { window } : {}),
  }
}
