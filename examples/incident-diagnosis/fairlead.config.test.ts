import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryStore, type Agent } from 'fairlead'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import config from './fairlead.config.ts'
import { offlinePlanner } from './planner/index.ts'
import { writeTestFolder } from './planner/testing/test-folder.ts'
import { deployRegression, usual } from './planner/testing/test-incidents.ts'
import { incidentReport } from './report/index.ts'
import { dataFolder, itemsOf, readAlerts, readDeployments } from './sources/index.ts'

async function exampleAgent(data?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'example-'))
  if (typeof config.agent !== 'function') throw new Error('the example makes its agent from options')
  const made = await config.agent({
    ...(data === undefined ? {} : { data }),
    principal: { id: 'tester' },
    environment: 'test',
    storeFile: join(folder, 'fairlead.db'),
  })
  const agent: Agent = made.with({ model: offlinePlanner(), store: memoryStore() })
  return { agent, ticketsFile: join(folder, 'tickets.jsonl') }
}

/** A server on loopback that answers every request in one way, and counts them; closed when the test is over. */
async function serverAnswering(answer: (response: ServerResponse) => void) {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    answer(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    vi.unstubAllEnvs()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

describe('the example', () => {
  it('diagnoses the shipped incident, files a ticket after approval and names it', async () => {
    const shipped = dataFolder(fileURLToPath(new URL('.', import.meta.url)), undefined)
    const [alert] = itemsOf(await readAlerts(shipped))
    const service = alert?.service ?? ''
    const deployments = itemsOf(await readDeployments(shipped)).filter((each) => each.service === service)
    const { agent, ticketsFile } = await exampleAgent()
    const session = await agent.session()

    const proposed = await agent.run(`Why did the P95 latency of ${service} rise?`, { session })
    expect(proposed.stopReason).toBe('approval_required')
    const report = incidentReport.parse(config.report?.(proposed))
    expect(report.conclusion).toMatchObject({ cause: 'deployment', confidence: 'high' })
    expect(deployments.map(({ id }) => id)).toContain(report.conclusion.subject)
    const recorded = await Promise.all(report.evidence.map(({ uri }) => agent.store.evidence.get(uri)))
    expect(recorded.length).toBeGreaterThan(10)
    expect(recorded.every((result) => result !== undefined && result !== null)).toBe(true)

    const [approval] = proposed.approvals
    const done = await agent.run(approval === undefined ? [] : [approval.approve({ by: 'ann' })], { session })
    const ticket = JSON.parse((await readFile(ticketsFile, 'utf8')).trim()) as { id: string; createdFor: string }
    expect(done.text).toContain(`Ticket ${ticket.id} is filed`)
    const final = incidentReport.parse(config.report?.(done))
    expect(final.conclusion).toEqual(report.conclusion)
    expect(JSON.stringify(report.nextActions)).toMatch(/incident ticket/)
    expect(JSON.stringify(final.nextActions)).not.toMatch(/incident ticket/)
  })

  it('quotes why a file could not be read, through the pipeline', async () => {
    const data = await mkdtemp(join(tmpdir(), 'incident-'))
    await writeTestFolder(data, deployRegression(usual))
    await writeFile(join(data, 'logs.jsonl'), '{\n')
    const { agent } = await exampleAgent(data)
    const proposed = await agent.run(`Why is ${usual.service} slow?`, { session: await agent.session() })
    expect(incidentReport.parse(config.report?.(proposed)).gaps).toEqual([
      'Error logs: could not be read (BAD_DATA): LOGS_LINE_INVALID: logs.jsonl, line 1: expected a JSON object with ts, labels and line, found "{".',
    ])
  })

  it('asks the servers that the environment names instead of a lab', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(
        `${request.url?.split('?')[0]} ${request.headers.authorization === undefined ? 'open' : 'with credentials'}`,
      )
      response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      vi.unstubAllEnvs()
    })
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    vi.stubEnv('PROMETHEUS_URL', `http://an:hunter2@${host}/metrics/`)
    vi.stubEnv('LOKI_URL', `http://${host}`)
    const data = await mkdtemp(join(tmpdir(), 'incident-'))
    await writeTestFolder(data, deployRegression(usual))
    const { agent } = await exampleAgent(data)
    const result = await agent.run(`Why is ${usual.service} slow?`, { session: await agent.session() })
    expect(new Set(asked)).toEqual(
      new Set(['/metrics/api/v1/query_range with credentials', '/loki/api/v1/query_range open']),
    )
    expect(JSON.stringify(result.messages)).toContain('PERMISSION_DENIED')
    expect(JSON.stringify(result.messages)).not.toContain('hunter2')
  })

  it('follows a slow Loki to the end of its attempts and still proposes the ticket', async () => {
    const loki = await serverAnswering((response) => response.writeHead(504).end('query timed out'))
    const data = await mkdtemp(join(tmpdir(), 'incident-'))
    await writeTestFolder(data, deployRegression(usual))
    vi.stubEnv('LOKI_URL', loki.url)
    const { agent } = await exampleAgent(data)
    const prompt = `Why is ${usual.service} slow?`
    const proposed = await agent.run(prompt, { session: await agent.session() })
    expect(loki.asked()).toBe(6)
    expect(proposed).toMatchObject({ stopReason: 'approval_required', approvals: [{ tool: 'create_incident_ticket' }] })
    const gaps = incidentReport.parse(config.report?.(proposed)).gaps
    expect(gaps).toEqual([expect.stringMatching(/^Error logs: could not be read \(TIMEOUT\): Loki did not finish/)])

    const limited = await agent.run(prompt, { session: await agent.session(), maxConsecutiveErrors: 1 })
    expect(limited).toMatchObject({ stopReason: 'error_limit', approvals: [] })
    expect(incidentReport.parse(config.report?.(limited)).gaps).toEqual([
      'Calls: this run may make no more, so these tools were not asked, or not asked again: loki_search, search_runbooks, prometheus_query_range.',
      gaps[0],
    ])
  })

  it('reads the shorter times of a log that has a line of some megabytes', async () => {
    const data = await mkdtemp(join(tmpdir(), 'incident-'))
    await writeTestFolder(data, deployRegression(usual))
    const labels = { service: usual.service, level: 'error' }
    const big = { ts: '2031-02-03T14:51:00Z', labels, line: 'x'.repeat(6_000_000) }
    await appendFile(join(data, 'logs.jsonl'), `\n${JSON.stringify(big)}\n`)
    const { agent } = await exampleAgent(data)
    const proposed = await agent.run(`Why is ${usual.service} slow?`, { session: await agent.session() })
    expect(proposed.stopReason).toBe('approval_required')
    expect(incidentReport.parse(config.report?.(proposed)).gaps).toEqual([
      expect.stringMatching(/^Error logs: only 2031-\S+ to 2031-\S+ was read, a longer time could not be\.$/),
      expect.stringMatching(/^Logs of all levels: only 2031-/),
    ])
  })

  it('offers actions on production only where the environment asks for them', async () => {
    const names = async () => (await exampleAgent()).agent.tools().map(({ name }) => name)
    expect(await names()).not.toContain('restart_service')
    vi.stubEnv('FAIRLEAD_INCIDENT_ACTIONS', '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await names()).toEqual(expect.arrayContaining(['restart_service', 'rollback_deployment']))
  })

  it('diagnoses another folder and names the refusal', async () => {
    const data = await mkdtemp(join(tmpdir(), 'incident-'))
    await writeTestFolder(data, deployRegression(usual))
    const { agent, ticketsFile } = await exampleAgent(data)
    const session = await agent.session()
    const proposed = await agent.run(`Why is ${usual.service} slow?`, { session })
    expect(incidentReport.parse(config.report?.(proposed)).conclusion.subject).toBe(usual.deploy)
    const [approval] = proposed.approvals
    const done = await agent.run(
      approval === undefined ? [] : [approval.deny({ by: 'ann', reason: 'known already' })],
      { session },
    )
    expect(done.text.split('\n')[0]).toBe(
      'No ticket was filed: a person refused it. Reason given: “known already”. What follows is advice only.',
    )
    expect(done.text).not.toMatch(/incident ticket/)
    await expect(readFile(ticketsFile)).rejects.toThrow('ENOENT')
  })
})
