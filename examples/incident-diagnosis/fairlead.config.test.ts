import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memoryStore, type Agent } from 'fairlead'
import { describe, expect, it } from 'vitest'
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
