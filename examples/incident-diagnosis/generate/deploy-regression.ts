import { clientName } from './client-name.ts'
import { deployRegressionLogs } from './deploy-regression-logs.ts'
import { runbooks } from './runbook-texts.ts'
import type { Deployment, Period, Pod, Scenario, ServiceBehaviour } from './scenario.ts'
import { constant, stepAt, swinging } from './signal.ts'

/** Names and numbers of a deploy that slows a service down; times are seconds since 1970, latencies 95th percentiles in seconds. */
export interface DeployRegressionParameters {
  readonly seed: number
  readonly service: string
  /** The called service whose client the deploy changes; its own latency stays as it was. */
  readonly upstream: string
  /** A called service that has nothing to do with it. */
  readonly bystander: string
  readonly deployId: string
  /** Deploys before it that have nothing to do with it. */
  readonly earlierDeployIds: { readonly ofBystander: string; readonly ofService: string }
  /** When the deploy finished; latency rises from here on. */
  readonly onset: number
  readonly window: Period
  readonly baseLatency: number
  readonly regressedLatency: number
  /** Requests per second of the service. */
  readonly requestRate: number
  readonly podCount: number
  readonly scrapeSeconds: number
}

const leadInSeconds = 600
const rampSeconds = 40
const hour = 3600

/** The scenario: the deploy starves a client of connections and makes it retry, so its calls pile up while all else is healthy. */
export function deployRegression(parameters: DeployRegressionParameters): Scenario {
  const { seed, service, upstream, bystander, onset, window } = parameters
  const pods = [service, upstream, bystander].flatMap((name, index) =>
    servicePods(name, index === 0 ? parameters.podCount : 2),
  )
  const podNames = (name: string): readonly string[] =>
    pods.filter((pod) => pod.service === name).map((pod) => pod.name)
  return {
    seed,
    period: { start: window.start - leadInSeconds, end: window.end },
    scrapeSeconds: parameters.scrapeSeconds,
    services: [
      regressedService(parameters, podNames(service)),
      healthyService(upstream, {
        latency: 0.12,
        requestRate: parameters.requestRate * 0.9,
        podNames: podNames(upstream),
      }),
      healthyService(bystander, {
        latency: 0.08,
        requestRate: parameters.requestRate * 0.7,
        podNames: podNames(bystander),
      }),
    ],
    logs: deployRegressionLogs({ service, upstream, bystander, onset, podNames }),
    deployments: deployments(parameters),
    pods,
    alerts: [
      {
        id: `alert-${service}-p95-latency`,
        service,
        metric: 'P95 request latency',
        from: durationText(parameters.baseLatency),
        to: durationText(parameters.regressedLatency),
        startedAt: onset + 200,
        window,
        severity: 'critical',
      },
    ],
    runbooks,
  }
}

function regressedService(parameters: DeployRegressionParameters, podNames: readonly string[]): ServiceBehaviour {
  const { onset, baseLatency, regressedLatency } = parameters
  const fromOnset = (before: number, after: number) => stepAt({ at: onset, before, after, rampSeconds })
  return {
    name: parameters.service,
    podNames,
    requestRate: swinging(constant(parameters.requestRate), { share: 0.04, periodSeconds: hour }),
    latency: fromOnset(baseLatency, regressedLatency),
    failureRatio: fromOnset(0.002, 0.03),
    cpuRatio: fromOnset(0.36, 0.41),
    memoryRatio: fromOnset(0.54, 0.57),
    database: { inUse: fromOnset(12, 14), maximum: 50 },
    upstreams: [
      { name: parameters.upstream, latency: fromOnset(baseLatency * 0.6, regressedLatency * 0.9) },
      { name: parameters.bystander, latency: constant(baseLatency * 0.3) },
    ],
  }
}

function healthyService(
  name: string,
  behaviour: { readonly latency: number; readonly requestRate: number; readonly podNames: readonly string[] },
): ServiceBehaviour {
  return {
    name,
    podNames: behaviour.podNames,
    requestRate: swinging(constant(behaviour.requestRate), { share: 0.04, periodSeconds: hour }),
    latency: constant(behaviour.latency),
    failureRatio: constant(0.001),
    cpuRatio: constant(0.28),
    memoryRatio: constant(0.47),
    upstreams: [],
  }
}

function servicePods(service: string, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${service}-${index}`,
    service,
    node: `node-${String.fromCodePoint(97 + (index % 3))}`,
    phase: 'Running',
    ready: true,
    restarts: 0,
  }))
}

function deployments({
  service,
  upstream,
  bystander,
  deployId,
  earlierDeployIds,
  onset,
}: DeployRegressionParameters): readonly Deployment[] {
  const client = clientName(upstream)
  return [
    {
      id: deployId,
      service,
      version: '2.14.0',
      previousVersion: '2.13.4',
      finishedAt: onset,
      kind: 'code',
      changes: [
        `${client}: request timeout 600 ms (was 5 s), up to 3 retries (was none)`,
        `${client}: share one pool of 4 connections per pod (was 64)`,
        'order confirmation: use the new mail template',
      ],
    },
    {
      id: earlierDeployIds.ofBystander,
      service: bystander,
      version: '1.9.2',
      previousVersion: '1.9.1',
      finishedAt: onset - 3 * hour,
      kind: 'code',
      changes: ['stock lookup: cache the warehouse list for 10 minutes'],
    },
    {
      id: earlierDeployIds.ofService,
      service,
      version: '2.13.4',
      previousVersion: '2.13.3',
      finishedAt: onset - 26 * hour,
      kind: 'config',
      changes: ['raise the log level of the mail sender to warn'],
    },
  ]
}

function durationText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${Math.round(seconds * 10) / 10} s`
}
