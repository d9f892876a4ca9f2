import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diagnoseIncident, inFolder } from './testing/test-diagnosis.ts'
import { drive, type Driven } from './testing/test-driver.ts'
import { writeTestFolder } from './testing/test-folder.ts'
import { deployRegression, usual } from './testing/test-incidents.ts'

/** Diagnoses a deploy regression some of whose files are overwritten. */
async function diagnoseBroken(files: Readonly<Record<string, string>>): Promise<Driven> {
  return inFolder(async (dataDirectory) => {
    await writeTestFolder(dataDirectory, deployRegression(usual))
    for (const [name, text] of Object.entries(files)) await writeFile(join(dataDirectory, name), text)
    const driven = await drive({ dataDirectory, prompt: `Why is ${usual.service} slow?`, ticket: 'stop' })
    expect(JSON.stringify(driven.messages)).not.toContain(dataDirectory)
    return driven
  })
}

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
    expect(report?.gaps).toEqual([
      'Window: the prompt states no time window.',
      `Alert: there is no alert of ${usual.service}, the source of alerts is missing.`,
    ])
    expect(calls.map(({ tool }) => tool)).toEqual(['get_alert_details'])
  })

  it('of alert and window asks to state a window, in words', async () => {
    const { text, report } = await diagnoseIncident({ ...deployRegression(usual), alerts: [] })
    expect(text).toMatch(
      /^I made no diagnosis: there is no alert of basket-api, and the prompt states no time window\./,
    )
    expect(text).toContain('State the time window with its date, for example “2031-01-31T08:00:00Z to')
    expect(report?.gaps).toHaveLength(2)
    expect(report?.evidence.map(({ statement }) => statement)).toEqual(['There is no alert of basket-api.'])
  })

  it('of a readable alert and window quotes why the alert could not be read', async () => {
    const { text, report } = await diagnoseBroken({ 'alerts.json': '{}' })
    expect(text).toContain(
      'the alert of basket-api could not be read (BAD_DATA): alerts.json cannot be read: expected a JSON list, found {}',
    )
    expect(report?.conclusion.cause).toBe('unknown')
  })

  it.each(['14:50-15:50', 'last 30 minutes'])('of the alert leaves %s without a place in time', async (window) => {
    const prompt = `What happened in ${usual.service}, ${window}?`
    const { text } = await diagnoseIncident({ ...deployRegression(usual), alerts: [] }, { prompt })
    expect(text).toContain(`“${window}” of the prompt has no date, and there is no alert to place it by`)
  })

  it('of everything is an honest unknown', async () => {
    const without = ['metrics.om', 'logs.jsonl', 'deployments.json', 'pods.json']
    const { report } = await diagnoseIncident(deployRegression(usual), { without })
    expect(report?.conclusion).toMatchObject({ cause: 'unknown', confidence: 'low' })
    expect(report?.excluded).toEqual([])
    expect(report?.conclusion.statement).toContain('nothing could be read')
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
    const { report } = await diagnoseBroken({ 'metrics.om': 'no metric {', 'pods.json': '{}' })
    expect(report?.gaps.filter((gap) => gap.includes('METRICS_LINE_INVALID'))).toEqual([
      expect.stringMatching(
        /^P95 latency, Request rate, .*: could not be read \(BAD_DATA\): METRICS_LINE_INVALID: metrics\.om, line 1: expected .*, found .*\.$/,
      ),
    ])
    expect(report?.gaps).toContain(
      'Pods: could not be read (BAD_DATA): pods.json cannot be read: expected a JSON list, found {}.',
    )
    // The logs are whole, so they are still read.
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'low' })
    expect(report?.evidence.map(({ kind }) => kind)).toContain('log')
  })

  it('by a broken line of the logs leaves the metrics alone', async () => {
    const { report } = await diagnoseBroken({ 'logs.jsonl': '{"ts":1}\n' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'medium' })
    expect(report?.gaps).toEqual([
      'Error logs: could not be read (BAD_DATA): LOGS_LINE_INVALID: logs.jsonl, line 1: expected ts to be an RFC 3339 time with its zone, found 1.',
    ])
  })

  it('of every symptom is an unknown cause that asks for the sources, and for no runbook', async () => {
    const { report, text, calls } = await diagnoseBroken({ 'logs.jsonl': '{', 'metrics.om': 'no metric {' })
    expect(report?.conclusion).toMatchObject({ cause: 'unknown', confidence: 'low' })
    expect(report?.conclusion.statement).toContain('nothing could be read that would show a symptom')
    expect(text).not.toContain('what was read')
    expect(report?.nextActions.map(({ action }) => action)).toEqual([
      `Mend or provide the sources of ${usual.service} (P95 latency, error ratio, error logs)`,
    ])
    expect(calls.map(({ tool }) => tool)).not.toContain('search_runbooks')
    expect(report?.evidence.map(({ kind }) => kind)).not.toContain('runbook')
  })

  it('by a broken file of pods or deployments does not hide the service', async () => {
    const files = { 'pods.json': '{', 'deployments.json': '[{}]', 'alerts.json': '[]' }
    const { text, report } = await diagnoseBroken(files)
    expect(text).toContain(`there is no alert of ${usual.service}`)
    expect(report?.conclusion.cause).toBe('unknown')
  })

  it('by a request that forbids calls says so and names each tool once', async () => {
    const prompt = `${usual.service}: what happened 2031-02-03T14:50:00Z to 2031-02-03T15:50:00Z?`
    const { report } = await diagnoseIncident(deployRegression(usual), { toolChoice: 'none', prompt })
    expect(report?.gaps).toEqual([
      'Calls: this run may make no more, so these tools were not asked, or not asked again: get_alert_details, prometheus_query_range, loki_search, kubernetes_get_pods, list_recent_deployments.',
    ])
    expect(report?.conclusion.statement).toContain('nothing could be read')
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
    expect(report?.gaps).toHaveLength(2)
    expect(report?.gaps[1]).toContain('since this run may make no calls')
    expect(report?.conclusion.cause).toBe('unknown')
  })
})
