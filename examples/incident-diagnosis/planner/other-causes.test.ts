import { describe, expect, it } from 'vitest'
import { diagnoseIncident } from './testing/test-diagnosis.ts'
import { deployRegression, quietIncident, usual } from './testing/test-incidents.ts'
import { inventedNumbersOf, wrongNumbersOf } from './testing/test-numbers.ts'

describe('other data', () => {
  it('is no incident when nothing got worse', async () => {
    const { report, calls } = await diagnoseIncident(quietIncident(usual))
    expect(report?.conclusion.cause).toBe('no_incident')
    expect(calls.some(({ tool }) => tool === 'create_incident_ticket')).toBe(false)
  })

  it('is no incident when a harmless deployment finished in the window', async () => {
    const { report } = await diagnoseIncident({
      ...quietIncident(usual),
      deployments: deployRegression(usual).deployments,
    })
    expect(report?.conclusion.cause).toBe('no_incident')
  })

  it('is no incident when one slow minute passed, even beside a deployment', async () => {
    const quiet = quietIncident(usual)
    const { report } = await diagnoseIncident({
      ...quiet,
      latency: (time) => (time >= usual.onset && time < usual.onset + 60 ? usual.slow : quiet.latency(time)),
      deployments: deployRegression(usual).deployments,
    })
    expect(report?.conclusion.cause).toBe('no_incident')
  })

  it('is a dependency failure when the upstream is slow by its own measure, whatever changed its client', async () => {
    const own = (time: number) => (time >= usual.onset ? usual.slow * 0.8 : usual.fast / 2)
    const { report } = await diagnoseIncident(
      { ...deployRegression(usual), upstreamsOwn: { [usual.upstream]: own } },
      { ticket: 'stop' },
    )
    expect(report?.conclusion).toMatchObject({ cause: 'dependency_failure', confidence: 'medium' })
    expect(report?.conclusion.statement).toContain(`Not ruled out: deployment (${usual.deploy})`)
  })

  it('is no resource exhaustion when the memory was full all along', async () => {
    const { report } = await diagnoseIncident({ ...deployRegression(usual), memory: () => 0.95 }, { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy })
    expect(report?.excluded.map(({ cause }) => cause)).toContain('resource_exhaustion')
  })

  it('is a dependency failure when the upstream got slow and no deployment touched its client', async () => {
    const { report } = await diagnoseIncident({
      ...deployRegression(usual),
      deployments: quietIncident(usual).deployments,
    })
    expect(report?.conclusion).toMatchObject({
      cause: 'dependency_failure',
      subject: usual.upstream,
      confidence: 'high',
    })
  })

  it.each([
    [
      'is',
      (time: number) => (time >= usual.onset ? usual.slow * 0.8 : usual.fast / 2),
      'dependency_failure',
      usual.upstream,
    ],
    ['is not', () => usual.fast / 2, 'deployment', usual.deploy],
  ] as const)(
    'turns on whether the upstream %s slow by its own measure when no change names it',
    async (_is, own, cause, subject) => {
      const incident = deployRegression(usual)
      const deployments = incident.deployments.map((each) => Object.assign({}, each, { changes: ['Update texts'] }))
      const driven = await diagnoseIncident(
        { ...incident, deployments, upstreamsOwn: { [usual.upstream]: own } },
        { ticket: 'stop' },
      )
      expect(driven.report?.conclusion).toMatchObject({ cause, subject, confidence: 'medium' })
      expect([...wrongNumbersOf(driven), ...inventedNumbersOf(driven)]).toEqual([])
    },
  )

  it.each([
    ['measures nothing itself', undefined, true],
    ['is level by its own measure', () => usual.fast / 2, false],
  ] as const)(
    'is at most a medium suspicion of a deployment that only came at the time, when the upstream %s',
    async (_measure, own, named) => {
      const incident = deployRegression(usual)
      const deployments = incident.deployments.map((each) =>
        Object.assign({}, each, {
          changes: [`Update the texts of ${usual.service}`, 'Longer time-out of the mail job'],
        }),
      )
      const logs = incident.logs.map((each) =>
        each.from > usual.onset
          ? { ...each, line: (n: number) => `${usual.service}: order ${n} time-out at the gateway` }
          : each,
      )
      const { report } = await diagnoseIncident(
        { ...incident, deployments, logs, ...(own === undefined ? {} : { upstreamsOwn: { [usual.upstream]: own } }) },
        { ticket: 'stop' },
      )
      expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy, confidence: 'medium' })
      expect(report?.conclusion.statement).toContain('only the time speaks for it')
      const rival = `Not ruled out: dependency failure (${usual.upstream})`
      expect(report?.conclusion.statement.includes(rival)).toBe(named)
      expect(report?.excluded.some(({ because }) => because.includes('by its own measure'))).toBe(!named)
    },
  )

  it('is less sure of an upstream that measures nothing itself', async () => {
    const { deployments } = quietIncident(usual)
    const upstreamsOwn = { [usual.upstream]: () => usual.fast / 2 }
    const { report } = await diagnoseIncident(
      { ...deployRegression(usual), deployments, upstreamsOwn },
      { ticket: 'stop' },
    )
    expect(report?.conclusion).toMatchObject({ cause: 'dependency_failure', confidence: 'medium' })
  })

  it('names the deployment of the upstream as a lead when the upstream failed', async () => {
    const incident = deployRegression(usual)
    const deployments = incident.deployments.map((each) => Object.assign({}, each, { service: usual.upstream }))
    const { report } = await diagnoseIncident({ ...incident, deployments }, { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'dependency_failure', subject: usual.upstream })
    expect(report?.nextActions.some(({ action }) => action.includes(usual.deploy))).toBe(true)
  })

  it('is the deployment when only the errors rose', async () => {
    const { latency, upstreams } = quietIncident(usual)
    const { report } = await diagnoseIncident({ ...deployRegression(usual), latency, upstreams }, { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy, confidence: 'high' })
    expect(report?.conclusion.statement).toContain('error regression')
  })

  it('is less sure when two deployments finished together', async () => {
    const incident = deployRegression(usual)
    const twin = Object.assign({}, incident.deployments.at(-1), { id: 'twin-1', kind: 'flag' })
    const { report } = await diagnoseIncident(
      { ...incident, deployments: [...incident.deployments, twin] },
      { ticket: 'stop' },
    )
    expect(report?.conclusion).toMatchObject({ confidence: 'medium' })
    expect(report?.conclusion.statement).toContain('Not ruled out')
  })

  it('gives the same answer when the times stand in other zones', async () => {
    const incident = deployRegression(usual)
    const zoned = (time: string) => `${new Date(Date.parse(time) + 19_800_000).toISOString().slice(0, 19)}+05:30`
    const deployments = incident.deployments.map((each) => {
      const { finishedAt } = each as { readonly finishedAt: string }
      return Object.assign({}, each, { finishedAt: zoned(finishedAt) })
    })
    const there = await diagnoseIncident({ ...incident, deployments }, { ticket: 'stop' })
    const here = await diagnoseIncident(incident, { ticket: 'stop' })
    expect(there.report).toEqual(here.report)
  })

  it('is a configuration change when the deployment was one', async () => {
    const incident = deployRegression(usual)
    const deployments = incident.deployments.map((each) => Object.assign({}, each, { kind: 'config' }))
    const { report } = await diagnoseIncident({ ...incident, deployments }, { ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'config_change', subject: usual.deploy })
  })

  it('is a traffic surge when the requests rose with the latency', async () => {
    const quiet = quietIncident(usual)
    const late = (time: number) => time >= usual.onset
    const { report } = await diagnoseIncident({
      ...quiet,
      requestRate: (time) => (late(time) ? 3 : 1) * usual.rate,
      latency: (time) => (late(time) ? usual.slow : usual.fast),
      cpu: (time) => (late(time) ? 0.97 : 0.4),
    })
    expect(report?.conclusion).toMatchObject({ cause: 'traffic_surge', confidence: 'medium' })
  })

  it('is database saturation when the connections ran out with the latency', async () => {
    const quiet = quietIncident(usual)
    const late = (time: number) => time >= usual.onset
    const { report } = await diagnoseIncident({
      ...quiet,
      latency: (time) => (late(time) ? usual.slow : usual.fast),
      databaseInUse: (time) => (late(time) ? 40 : 9),
      logs: [
        ...quiet.logs,
        {
          from: usual.onset,
          to: usual.windowEnd,
          every: 15,
          level: 'error',
          line: (n) => `no connection from pool in ${n} ms`,
        },
      ],
    })
    expect(report?.conclusion).toMatchObject({ cause: 'database_saturation', confidence: 'high' })
  })

  it('is resource exhaustion when memory ran out and pods were killed', async () => {
    const quiet = quietIncident(usual)
    const late = (time: number) => time >= usual.onset
    const { report } = await diagnoseIncident({
      ...quiet,
      latency: (time) => (late(time) ? usual.slow : usual.fast),
      memory: (time) => (late(time) ? 0.98 : 0.6),
      pods: quiet.pods.map((pod) =>
        Object.assign({}, pod, {
          restarts: 2,
          lastRestartAt: new Date((usual.onset + 30) * 1000).toISOString(),
          lastRestartReason: 'OOMKilled',
        }),
      ),
    })
    expect(report?.conclusion).toMatchObject({ cause: 'resource_exhaustion', confidence: 'high' })
  })

  it('is unknown when latency rose and nothing explains it', async () => {
    const { report, calls } = await diagnoseIncident({
      ...quietIncident(usual),
      latency: (time) => (time >= usual.onset ? usual.slow : usual.fast),
    })
    expect(report?.conclusion).toMatchObject({ cause: 'unknown', confidence: 'low' })
    expect(calls.some(({ tool }) => tool === 'create_incident_ticket')).toBe(false)
  })
})
