import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError, type Tool } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { runTool } from '../planner/testing/test-driver.ts'
import { writeTestFolder, type TestIncident } from '../planner/testing/test-folder.ts'
import { deployRegression, usual } from '../planner/testing/test-incidents.ts'
import { incidentTools } from './incident-tools.ts'

async function toolsOver(change: Partial<TestIncident> = {}, without: readonly string[] = []) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tools-'))
  await writeTestFolder(dataDirectory, { ...deployRegression(usual), ...change }, without)
  const unused = async () => 'http://127.0.0.1:9'
  const tools = incidentTools({ dataDirectory, ticketsFile: 'unused', prometheusUrl: unused, lokiUrl: unused })
  return async (name: string, args: unknown) => {
    const found: Tool | undefined = tools.find(({ contract }) => contract.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return runTool(found, args)
  }
}

const alert = (id: string, startedAt: string) => ({
  id,
  service: usual.service,
  metric: 'errors',
  startedAt,
  severity: 'low',
})

describe('get_alert_details', () => {
  it('gives the newest alert of the service with a window half an hour around its start', async () => {
    const alerts = [
      alert('old', '2030-01-01T00:00:00Z'),
      alert('new', '2030-01-01T12:00:00+01:00'),
      { ...alert('other', '2031-01-01T00:00:00Z'), service: 'x' },
    ]
    const call = await toolsOver({ alerts })
    expect(await call('get_alert_details', { service: usual.service })).toMatchObject({
      data: {
        source: 'present',
        alert: { id: 'new', from: null, window: { start: '2030-01-01T10:30:00Z', end: '2030-01-01T11:30:00Z' } },
        otherAlertIds: ['old'],
      },
    })
    expect(await call('get_alert_details', { service: usual.service, alert_id: 'old' })).toMatchObject({
      data: { alert: { id: 'old' } },
    })
  })

  it('lists the known services for an unknown one, and the known alerts for an unknown id', async () => {
    const call = await toolsOver()
    const unknown = await call('get_alert_details', { service: 'nope' }).catch((error: unknown) => error)
    expect(unknown).toBeInstanceOf(ToolError)
    expect(unknown).toMatchObject({
      code: 'UNKNOWN_SERVICE',
      message: expect.stringContaining(`Known services: ${usual.service}`) as string,
    })
    await expect(call('get_alert_details', { service: usual.service, alert_id: 'nope' })).rejects.toMatchObject({
      code: 'UNKNOWN_ALERT',
    })
  })

  it('knows a service that only has pods, and says it has no alert', async () => {
    const call = await toolsOver({ alerts: [] })
    expect(await call('get_alert_details', { service: usual.service })).toMatchObject({
      data: { source: 'present', alert: null },
    })
  })

  it('says that the source is missing', async () => {
    const call = await toolsOver({}, ['alerts.json'])
    expect(await call('get_alert_details', { service: 'any' })).toMatchObject({
      data: { source: 'missing', alert: null },
    })
  })
})

describe('list_recent_deployments', () => {
  const range = { start_time: '2031-02-03T00:00:00Z', end_time: '2031-02-03T23:00:00Z' }

  it('gives what finished in the range, oldest first', async () => {
    const call = await toolsOver()
    const answer = await call('list_recent_deployments', { service: usual.service, ...range })
    expect(answer).toMatchObject({
      data: { count: 2, deployments: [{ id: 'older-1' }, { id: usual.deploy, previousVersion: '1.0.0' }] },
    })
    const later = await call('list_recent_deployments', { ...range, start_time: '2031-02-03T12:00:00Z' })
    expect(later).toMatchObject({ data: { service: null, deployments: [{ id: usual.deploy }] } })
  })

  it('says that the source is missing', async () => {
    const call = await toolsOver({}, ['deployments.json'])
    expect(await call('list_recent_deployments', range)).toMatchObject({ data: { source: 'missing', count: 0 } })
  })
})

describe('kubernetes_get_pods', () => {
  it('counts pods, ready ones and restarts', async () => {
    const call = await toolsOver()
    expect(await call('kubernetes_get_pods', { service: usual.service })).toMatchObject({
      data: { total: 2, ready: 2, restarts: 0 },
    })
    expect(await call('kubernetes_get_pods', { service: 'none' })).toMatchObject({
      data: { source: 'present', total: 0 },
    })
  })
})

describe('search_runbooks', () => {
  it('puts the runbook first whose title has the words', async () => {
    const call = await toolsOver()
    const answer = await call('search_runbooks', { query: 'latency after a deployment', limit: 1 })
    expect(answer).toMatchObject({ data: { searched: 2, runbooks: [{ file: 'runbooks/regression.md' }] } })
  })

  it('finds nothing for words no runbook has', async () => {
    const call = await toolsOver()
    expect(await call('search_runbooks', { query: 'zebra' })).toMatchObject({ data: { runbooks: [] } })
  })
})
