import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'

const page = readFileSync(new URL('../../../docs/incident-data-folder.md', import.meta.url), 'utf8')

/** The files the page shows: the one block of each section, by the name in its heading. */
const files = page.split(/^## /m).flatMap((section) => {
  const [, name] = /^`([^`]+)`/.exec(section) ?? []
  const [, text] = /^```\w+\n([\s\S]*?)^```$/m.exec(section) ?? []
  return name === undefined || text === undefined ? [] : [{ name: name.replace('*', 'latency'), text }]
})

it('is a folder the example reads: every file is used and none is broken', async () => {
  const here = temporaryFolder()
  const data = join(here, 'data')
  for (const { name, text } of files) {
    mkdirSync(dirname(join(data, name)), { recursive: true })
    writeFileSync(join(data, name), text)
  }
  expect(files.map(({ name }) => name)).toEqual([
    'alerts.json',
    'deployments.json',
    'pods.json',
    'logs.jsonl',
    'metrics.om',
    'runbooks/latency.md',
  ])
  const call = async (tool: string, args: object): Promise<unknown> => {
    const words = ['tools', 'call', tool, '--args', JSON.stringify(args), '--data', data, '--json']
    const { code, out, error } = await cliHere(here, [...words, '--example', 'incident-diagnosis'])
    expect({ code, error }).toEqual({ code: 0, error: expect.not.stringContaining('fairlead:') })
    return (JSON.parse(out) as { readonly result: { readonly data: unknown } }).result.data
  }
  const range = { start_time: '2031-03-03T09:00:00Z', end_time: '2031-03-03T10:00:00Z' }
  expect(await call('get_alert_details', { service: 'checkout' })).toMatchObject({ source: 'present' })
  expect(await call('list_recent_deployments', range)).toMatchObject({ source: 'present', count: 1 })
  expect(await call('kubernetes_get_pods', { service: 'checkout' })).toMatchObject({ total: 1, ready: 1 })
  const logs = { logql: '{service="checkout",level="error"}', ...range, limit: 5 }
  expect(JSON.stringify(await call('loki_search', logs))).toContain('payment timed out')
  const metrics = { promql: 'db_connections_max{service="checkout"}', ...range, step_seconds: 60 }
  expect(JSON.stringify(await call('prometheus_query_range', metrics))).toMatch(/"?40"?/)
  expect(JSON.stringify(await call('search_runbooks', { query: 'latency deployment', limit: 3 }))).toContain(
    'Latency after a deployment',
  )
}, 60_000)
