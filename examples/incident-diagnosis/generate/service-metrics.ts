import { latencyHistogram } from './latency-histogram.ts'
import type { MetricFamily, MetricSeries } from './metric-family.ts'
import { randomFor } from './random.ts'
import { counterSeries, gaugeSeries } from './sampled-series.ts'
import type { Scenario, ServiceBehaviour } from './scenario.ts'

type SeriesOf = (service: ServiceBehaviour) => readonly MetricSeries[]

/** All metric families of a scenario, the series of its services side by side. */
export function serviceMetrics(scenario: Scenario): readonly MetricFamily[] {
  const { seed, scrapeSeconds } = scenario
  const times = readingTimes(scenario)
  const family = (
    name: string,
    { type, help }: Pick<MetricFamily, 'type' | 'help'>,
    series: SeriesOf,
  ): MetricFamily => ({ name, type, help, series: scenario.services.flatMap(series) })
  const podGauge =
    (name: string, noise: number): SeriesOf =>
    (service) =>
      service.podNames.map((pod) =>
        gaugeSeries(
          {
            labels: [
              ['service', service.name],
              ['pod', pod],
            ],
            signal: name === 'container_cpu_usage_ratio' ? service.cpuRatio : service.memoryRatio,
            times,
            noise,
            most: 1,
            decimals: 4,
          },
          randomFor(seed, `${name} ${service.name} ${pod}`),
        ),
      )
  return [
    family('http_request_duration_seconds', { type: 'histogram', help: 'Time to answer a request.' }, (service) =>
      latencyHistogram(
        {
          labels: [['service', service.name]],
          requestRate: service.requestRate,
          latency: service.latency,
          times,
          scrapeSeconds,
        },
        randomFor(seed, `latency ${service.name}`),
      ),
    ),
    family('http_requests', { type: 'counter', help: 'Requests by status code.' }, (service) =>
      statusCodes(service).map(({ code, rate }) =>
        counterSeries(
          {
            labels: [
              ['service', service.name],
              ['code', code],
            ],
            rate,
            times,
            scrapeSeconds,
          },
          randomFor(seed, `requests ${service.name} ${code}`),
        ),
      ),
    ),
    family(
      'container_cpu_usage_ratio',
      { type: 'gauge', help: 'Used share of the CPU limit.' },
      podGauge('container_cpu_usage_ratio', 0.02),
    ),
    family(
      'container_memory_usage_ratio',
      { type: 'gauge', help: 'Used share of the memory limit.' },
      podGauge('container_memory_usage_ratio', 0.005),
    ),
    family('db_connections_in_use', { type: 'gauge', help: 'Connections of the pool in use.' }, (service) =>
      databaseSeries(service, (database) =>
        gaugeSeries(
          {
            labels: [['service', service.name]],
            signal: database.inUse,
            times,
            noise: 1.5,
            most: database.maximum,
            decimals: 0,
          },
          randomFor(seed, `database ${service.name}`),
        ),
      ),
    ),
    family('db_connections_max', { type: 'gauge', help: 'Size of the connection pool.' }, (service) =>
      databaseSeries(service, ({ maximum }) => ({
        suffix: '',
        labels: [['service', service.name]],
        samples: times.map((time) => ({ time, value: maximum })),
      })),
    ),
    family('upstream_request_duration_seconds', { type: 'histogram', help: 'Time a called service took.' }, (service) =>
      service.upstreams.flatMap((upstream) =>
        latencyHistogram(
          {
            labels: [
              ['service', service.name],
              ['upstream', upstream.name],
            ],
            requestRate: service.requestRate,
            latency: upstream.latency,
            times,
            scrapeSeconds,
          },
          randomFor(seed, `upstream ${service.name} ${upstream.name}`),
        ),
      ),
    ),
  ]
}

function readingTimes({ period, scrapeSeconds }: Scenario): readonly number[] {
  const count = Math.floor((period.end - period.start) / scrapeSeconds) + 1
  return Array.from({ length: count }, (_, index) => period.start + index * scrapeSeconds)
}

function statusCodes({ requestRate, failureRatio }: ServiceBehaviour): readonly {
  readonly code: string
  readonly rate: (time: number) => number
}[] {
  const share = (part: (time: number) => number) => (time: number) => requestRate(time) * part(time)
  return [
    { code: '200', rate: share((time) => 0.98 - failureRatio(time)) },
    { code: '404', rate: share(() => 0.02) },
    { code: '500', rate: share((time) => failureRatio(time) * 0.1) },
    { code: '504', rate: share((time) => failureRatio(time) * 0.9) },
  ]
}

function databaseSeries(
  service: ServiceBehaviour,
  render: (database: NonNullable<ServiceBehaviour['database']>) => MetricSeries,
): readonly MetricSeries[] {
  return service.database === undefined ? [] : [render(service.database)]
}
