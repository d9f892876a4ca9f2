import fc from 'fast-check'
import { describe, expect, it, onTestFailed } from 'vitest'
import { generateIncident, writeIncident, type IncidentParameters } from '../generate/index.ts'
import { renderReport } from '../report/index.ts'
import { diagnoseIncident, inFolder } from './testing/test-diagnosis.ts'
import { drive } from './testing/test-driver.ts'
import { deployRegression, usual } from './testing/test-incidents.ts'
import { inventedNumbersOf, wrongNumbersOf } from './testing/test-numbers.ts'

// One run makes, serves and reads a whole incident, so that a few must do.
const runs = 3

describe('a deployment that regresses latency', () => {
  it('is blamed with high confidence, and a ticket is proposed with every piece of evidence', async () => {
    const { report, calls, turns, evidence, text } = await diagnoseIncident(deployRegression(usual), { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy, confidence: 'high' })
    expect(report?.gaps).toEqual([])
    const ticket = calls.at(-1)
    expect(ticket).toMatchObject({
      tool: 'create_incident_ticket',
      arguments: { service: usual.service, severity: 'critical' },
    })
    expect(ticket?.arguments).toMatchObject({ evidence: report?.evidence.map(({ uri }) => uri) })
    expect(report?.evidence.every(({ uri }) => evidence.has(uri))).toBe(true)
    expect(report === null ? '' : renderReport(report)).toBe(text)
    expect(turns.at(-1)?.map(({ kind }) => kind)).toEqual(['text', 'data', 'function_call'])
  })

  it('asks for the alert first, then for everything at once, then for runbooks and follow-ups, then for the ticket', async () => {
    const { turns } = await diagnoseIncident(deployRegression(usual))
    const perTurn = turns.map((parts) => parts.flatMap((part) => (part.kind === 'function_call' ? [part.name] : [])))
    expect(perTurn.map((names) => names.length)).toEqual([1, 12, 2, 1, 0])
    expect(new Set(perTurn[1])).toEqual(
      new Set(['prometheus_query_range', 'loki_search', 'kubernetes_get_pods', 'list_recent_deployments']),
    )
    expect(turns.every(([first]) => first?.kind === 'text' && first.text !== '')).toBe(true)
  })

  it('gives the moved answer when names, times and numbers move', async () => {
    const name = fc.stringMatching(/^[a-z]{4,8}$/)
    const moved = fc.record({
      service: fc.tuple(name, fc.constantFrom('-service', '-api', '_worker')).map((words) => words.join('')),
      upstream: name.map((word) => `${word}-service`),
      bystander: name.map((word) => `${word}-cache`),
      deployId: fc
        .tuple(fc.constantFrom('rel', 'deploy', 'v'), fc.integer({ min: 1, max: 99_999 }))
        .map((words) => words.join('-')),
      day: fc.integer({ min: 0, max: 3000 }),
      secondOfDay: fc.integer({ min: 0, max: 86_399 }),
      lead: fc.integer({ min: 20 * 60, max: 45 * 60 }),
      baseLatency: fc.double({ min: 0.06, max: 0.4, noNaN: true }),
      factor: fc.double({ min: 3, max: 9, noNaN: true }),
      requestRate: fc.integer({ min: 8, max: 60 }),
      podCount: fc.integer({ min: 1, max: 5 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      scrapeSeconds: fc.constantFrom(20, 30, 60),
    })
    let looked = 0
    const seed = Math.floor(Math.random() * 2 ** 31)
    onTestFailed(() => void process.stderr.write(`fast-check seed: ${seed}\n`))
    await fc.assert(
      fc.asyncProperty(moved, async ({ day, secondOfDay, lead, factor, ...rest }) => {
        fc.pre(new Set([rest.service, rest.upstream, rest.bystander].map((each) => each.slice(0, 4))).size === 3)
        const onset = Date.UTC(2027, 0, 1) / 1000 + day * 86_400 + secondOfDay
        const parameters: IncidentParameters = {
          ...rest,
          kind: 'deploy-regression',
          earlierDeployIds: { ofBystander: `${rest.deployId}-b`, ofService: `${rest.deployId}-s` },
          onset,
          window: { start: onset - lead, end: onset - lead + 3600 },
          regressedLatency: rest.baseLatency * factor,
        }
        const driven = await inFolder(async (dataDirectory) => {
          await writeIncident(dataDirectory, generateIncident(parameters))
          return drive({ dataDirectory, prompt: `${rest.service} is slow, what happened?`, ticket: 'stop' })
        })
        expect(driven.report?.conclusion).toMatchObject({
          cause: 'deployment',
          subject: rest.deployId,
          confidence: 'high',
        })
        expect([...wrongNumbersOf(driven), ...inventedNumbersOf(driven)]).toEqual([])
        looked++
      }),
      { seed, numRuns: runs, endOnFailure: true },
    )
    expect(looked).toBe(runs)
  })

  it.each([20, 60, 100])('is blamed when it finished %i seconds before the onset', async (lead) => {
    const { report } = await diagnoseIncident(deployRegression({ ...usual, lead }), { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy, confidence: 'high' })
  })

  it('is at most suspected when it finished some minutes before the onset', async () => {
    const { report } = await diagnoseIncident(deployRegression({ ...usual, lead: 4 * 60 }), { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'medium' })
  })

  it.each([90, 180, 600])('is not blamed when it finished %i seconds after the onset', async (after) => {
    const { report, calls } = await diagnoseIncident(deployRegression({ ...usual, lead: -after }))
    expect(report?.conclusion.cause).toBe('dependency_failure')
    expect(report?.conclusion.subject).toBe(usual.upstream)
    expect(report?.excluded.find(({ because }) => because.includes(usual.deploy))?.because).toContain('after the onset')
    expect(calls.length).toBeGreaterThan(10)
  })

  it('says only numbers and times that stand in the evidence it cites', async () => {
    const driven = await diagnoseIncident(deployRegression(usual))
    expect(driven.report?.evidence.length).toBeGreaterThan(10)
    expect([...wrongNumbersOf(driven), ...inventedNumbersOf(driven)]).toEqual([])
  })
})
