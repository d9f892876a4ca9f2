import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runningLab } from '../lab/testing/running-lab.ts'
import type { RunningLab } from '../lab/testing/running-lab.ts'
import { temporaryFolder } from '../lab/testing/temporary-folder.ts'
import { generateIncident, orderServiceIncident, shippedIncidents, writeIncident } from './index.ts'
import type { IncidentParameters } from './index.ts'

type RegressionParameters = Extract<IncidentParameters, { readonly kind: 'deploy-regression' }>

const data = fileURLToPath(new URL('../data/', import.meta.url))
const shipped = join(data, orderServiceIncident.service)

/** A quantile is a guess within a bucket, and buckets are up to as wide as their lower bound. */
const bucketError = 0.35

interface MatrixAnswer {
  readonly data: { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] }
}

/** The values of a query that gives one series, by time in seconds. */
async function valuesOf(
  lab: RunningLab,
  query: string,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<ReadonlyMap<number, number>> {
  const answer = await lab.get('/api/v1/query_range', { query, start: String(start), end: String(end), step: '60' })
  const { data } = answer.json as MatrixAnswer
  expect(data.result).toHaveLength(1)
  return new Map(data.result[0]?.values.map(([time, value]) => [time, Number(value)]))
}

function p95(service: string): string {
  return `histogram_quantile(0.95, sum(rate(http_request_duration_seconds_bucket{service="${service}"}[5m])) by (le))`
}

async function countLogLines(lab: RunningLab, query: string, range: readonly [number, number]): Promise<number> {
  const [start, end] = range
  const answer = await lab.get('/loki/api/v1/query_range', {
    query,
    start: String(start),
    end: String(end),
    limit: '5000',
  })
  expect(answer.status).toBe(200)
  return [...answer.text.matchAll(/\["\d+",/g)].length
}

/** What every deploy regression must show, whatever its names and numbers. */
async function expectRegression(lab: RunningLab, parameters: RegressionParameters): Promise<void> {
  const { service, upstream, bystander, onset, window, baseLatency, regressedLatency, requestRate } = parameters
  const latency = await valuesOf(lab, p95(service), window)
  const before = [...latency].filter(([time]) => time <= onset)
  const after = [...latency].filter(([time]) => time >= onset + 420)
  expect(before.length).toBeGreaterThan(5)
  expect(after.length).toBeGreaterThan(5)
  for (const [, value] of before) expect(relativeError(value, baseLatency)).toBeLessThan(bucketError)
  for (const [, value] of after) expect(relativeError(value, regressedLatency)).toBeLessThan(bucketError)
  const risen = [...latency].find(([, value]) => value > (baseLatency + regressedLatency) / 2)?.[0] ?? NaN
  expect(risen - onset).toBeGreaterThan(0)
  expect(risen - onset).toBeLessThanOrEqual(240)

  for (const innocent of [upstream, bystander]) {
    const values = [...(await valuesOf(lab, p95(innocent), window)).values()]
    expect(Math.max(...values)).toBeLessThan(Math.min(...values) * 1.3)
  }
  const rates = [...(await valuesOf(lab, `sum(rate(http_requests_total{service="${service}"}[5m]))`, window)).values()]
  for (const rate of rates) expect(relativeError(rate, requestRate)).toBeLessThan(0.2)
  const cpu = [...(await valuesOf(lab, `max(container_cpu_usage_ratio{service="${service}"})`, window)).values()]
  expect(Math.max(...cpu)).toBeLessThan(0.7)
  const database = `db_connections_in_use{service="${service}"} / db_connections_max{service="${service}"}`
  expect(Math.max(...(await valuesOf(lab, database, window)).values())).toBeLessThan(0.6)

  const timeouts = `{service="${service}",level="error"} |= "timeout"`
  expect(await countLogLines(lab, timeouts, [window.start, onset])).toBe(0)
  expect(await countLogLines(lab, timeouts, [onset, window.end])).toBeGreaterThan(100)
  expect(await countLogLines(lab, `{service="${bystander}"}`, [window.start, onset])).toBeGreaterThan(50)
}

function relativeError(found: number, expected: number): number {
  return Math.abs(found - expected) / expected
}

describe('the shipped incident', () => {
  it.each([...shippedIncidents])('%s is what the generator writes, in less than 2 MB', async (folder, parameters) => {
    const files = generateIncident(parameters)
    const shippedFolder = join(data, folder)
    const names = await readdir(shippedFolder, { recursive: true, withFileTypes: true })
    expect(names.filter((entry) => entry.isFile())).toHaveLength(files.size)
    expect(files.size).toBe(9)
    for (const [name, text] of files) expect(await readFile(join(shippedFolder, name), 'utf8')).toBe(text)
    const bytes = [...files.values()].map((text) => Buffer.byteLength(text))
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_000_000)
  })

  it('is one of four folders', async () => {
    expect((await readdir(data)).toSorted()).toEqual([...shippedIncidents.keys()].toSorted())
    expect(shippedIncidents.size).toBe(4)
  })

  it('shows a P95 of about 0.2 s before 09:36 and about 2 s after it', async () => {
    const lab = await runningLab(shipped)
    const at = (clock: string): number => Date.parse(`2026-04-29T${clock}:00Z`) / 1000
    const latency = await valuesOf(lab, p95('order-service'), { start: at('09:00'), end: at('10:00') })
    expect(latency.size).toBe(61)
    for (const clock of ['09:00', '09:15', '09:30', '09:36']) expect(latency.get(at(clock))).toBeCloseTo(0.2, 1)
    for (const clock of ['09:45', '09:50', '10:00'])
      expect(relativeError(latency.get(at(clock)) ?? NaN, 2)).toBeLessThan(0.1)
    await expectRegression(lab, orderServiceIncident)
  })

  it('names the deploy, its changes and an alert a few minutes later', async () => {
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(shipped, name), 'utf8'))
    expect(await read('deployments.json')).toMatchObject([
      { id: 'deploy_8842', service: 'order-service', finishedAt: '2026-04-29T09:36:00Z', kind: 'code' },
      { service: 'inventory-service' },
      { service: 'order-service' },
    ])
    expect(JSON.stringify(await read('deployments.json'))).toContain('payment-client: request timeout 600 ms')
    expect(await read('alerts.json')).toMatchObject([
      {
        service: 'order-service',
        startedAt: '2026-04-29T09:39:20Z',
        window: { start: '2026-04-29T09:00:00Z', end: '2026-04-29T10:00:00Z' },
      },
    ])
    expect(await read('pods.json')).toHaveLength(7)
  })
})

describe('generateIncident', () => {
  const start = Date.parse('2031-12-31T23:10:00Z') / 1000
  const moved: readonly (readonly [string, RegressionParameters])[] = [
    [
      'other names, another year, smaller numbers',
      {
        ...orderServiceIncident,
        seed: 7,
        service: 'search-api',
        upstream: 'ranking-service',
        bystander: 'catalog',
        deployId: 'release-2031',
        earlierDeployIds: { ofBystander: 'release-2030', ofService: 'release-2029' },
        onset: start + 1500,
        window: { start, end: start + 3000 },
        baseLatency: 0.08,
        regressedLatency: 0.7,
        requestRate: 35,
        podCount: 5,
        scrapeSeconds: 15,
      },
    ],
    ['another seed', { ...orderServiceIncident, seed: 1 }],
    [
      'a larger regression of a slow service',
      { ...orderServiceIncident, seed: 2, baseLatency: 0.8, regressedLatency: 4 },
    ],
  ]

  it.each(moved)('keeps the shape of the incident with %s', async (_, parameters) => {
    const folder = await temporaryFolder()
    await writeIncident(folder.path, generateIncident(parameters))
    const lab = await runningLab(folder.path)
    await expect(expectRegression(lab, parameters)).resolves.toBeUndefined()
  })

  it('gives the same bytes for the same parameters and others for another seed', () => {
    const first = generateIncident(orderServiceIncident)
    expect(generateIncident(orderServiceIncident)).toEqual(first)
    const other = generateIncident({ ...orderServiceIncident, seed: 1 })
    expect(other.get('metrics.om')).not.toBe(first.get('metrics.om'))
    expect(other.get('logs.jsonl')).not.toBe(first.get('logs.jsonl'))
    expect(other.get('alerts.json')).toBe(first.get('alerts.json'))
  })
})
