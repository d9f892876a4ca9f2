import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diagnoseIncident, inFolder } from './testing/test-diagnosis.ts'
import { drive } from './testing/test-driver.ts'
import { writeTestFolder } from './testing/test-folder.ts'
import { deployRegression, usual } from './testing/test-incidents.ts'

describe('missing data', () => {
  it.each([
    ['logs.jsonl', 'deployment', 'medium', /^Error logs: /],
    ['pods.json', 'deployment', 'medium', /^Pods: the source is missing/],
    ['deployments.json', 'dependency_failure', 'medium', /^Deployments: the source is missing/],
    ['metrics.om', 'deployment', 'low', /^P95 latency: no values/],
  ])('of %s lowers the confidence and is named', async (file, cause, confidence, gap) => {
    const { report } = await diagnoseIncident(deployRegression(usual), { without: [file] })
    expect(report?.conclusion).toMatchObject({ cause, confidence })
    expect(report?.gaps.some((text) => gap.test(text))).toBe(true)
  })

  it('of the alerts is made up for by a window in the prompt', async () => {
    const prompt = `${usual.service}: what happened 2031-02-03T14:50:00Z to 2031-02-03T15:50:00Z?`
    const { report } = await diagnoseIncident(deployRegression(usual), { without: ['alerts.json'], prompt })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'medium' })
    expect(report?.gaps).toContain('Alert: the source is missing.')
  })

  it('of alert and window gives an unknown cause and says what is missing', async () => {
    const { report, calls } = await diagnoseIncident(deployRegression(usual), { without: ['alerts.json'] })
    expect(report?.conclusion.cause).toBe('unknown')
    expect(report?.gaps[0]).toMatch(/^Window: /)
    expect(calls.map(({ tool }) => tool)).toEqual(['get_alert_details', 'search_runbooks'])
  })

  it('of everything is an honest unknown', async () => {
    const without = ['metrics.om', 'logs.jsonl', 'deployments.json', 'pods.json']
    const { report } = await diagnoseIncident(deployRegression(usual), { without })
    expect(report?.conclusion).toMatchObject({ cause: 'unknown', confidence: 'low' })
    expect(report?.excluded).toEqual([])
    expect(report?.gaps.length).toBeGreaterThan(8)
  })

  it.each(['latency', 'error-logs', 'deployments', 'request-rate', 'alert'])(
    'by a failed call (%s) is a gap and never asked for again',
    async (failing) => {
      const prompt = `${usual.service}: what happened between 14:50 and 15:50 on 2031-02-03?`
      const { report, calls } = await diagnoseIncident(deployRegression(usual), { failing: [failing], prompt })
      expect(report?.gaps.some((gap) => gap.includes('UNAVAILABLE'))).toBe(true)
      expect(report?.conclusion.confidence).not.toBe('high')
      expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length)
    },
  )

  it('by files that cannot be read is a gap with the code of bad data', async () => {
    const { report } = await inFolder(async (dataDirectory) => {
      const incident = deployRegression(usual)
      await writeTestFolder(dataDirectory, incident)
      await writeFile(join(dataDirectory, 'metrics.om'), 'no metric {')
      await writeFile(join(dataDirectory, 'pods.json'), '{}')
      return drive({ dataDirectory, prompt: `Why is ${incident.service} slow?` })
    })
    expect(report?.gaps).toContain('P95 latency: could not be read (BAD_DATA).')
    expect(report?.gaps).toContain('Pods: could not be read (BAD_DATA).')
    expect(report?.conclusion.cause).toBe('unknown')
  })

  it('by a tool that is not there is a gap', async () => {
    const { report } = await diagnoseIncident(deployRegression(usual), {
      withoutTools: ['loki_search', 'create_incident_ticket'],
    })
    expect(report?.gaps).toContain('The tool loki_search is not available here.')
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'medium' })
  })

  it('by a request that forbids calls gives a report without calls', async () => {
    const { report, calls } = await diagnoseIncident(deployRegression(usual), { toolChoice: 'none' })
    expect(calls).toEqual([])
    expect(report?.conclusion.cause).toBe('unknown')
  })
})
