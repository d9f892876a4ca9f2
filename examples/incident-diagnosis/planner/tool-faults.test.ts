import { ToolError, type Tool } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { diagnoseIncident } from './testing/test-diagnosis.ts'
import type { Driven } from './testing/test-driver.ts'
import { deployRegression, usual } from './testing/test-incidents.ts'

type Arguments = Readonly<Record<string, unknown>>

/** Makes one tool fail whenever a condition on its arguments holds. */
function failing(name: string, code: string, when: (args: Arguments) => boolean) {
  return (tool: Tool): Tool => {
    if (tool.contract.name !== name) return tool
    const { execute } = tool
    return {
      ...tool,
      execute: async (args, context) => {
        if (when(args)) throw new ToolError(code, 'an injected fault')
        return execute?.(args, context)
      },
    }
  }
}

const secondsOf = (args: Arguments) =>
  (Date.parse(String(args['end_time'])) - Date.parse(String(args['start_time']))) / 1000
const attemptsOf = ({ calls }: Driven, id: string) =>
  calls.filter(({ callId }) => callId === id || callId.startsWith(`${id}:`)).map((call) => call.arguments as Arguments)

describe('TIMEOUT', () => {
  it('makes the planner ask for half the window, twice, and name what was not read', async () => {
    const wrapTool = failing('prometheus_query_range', 'TIMEOUT', (args) => secondsOf(args) > 1000)
    const driven = await diagnoseIncident(deployRegression(usual), { wrapTool, ticket: 'stop' })
    expect(attemptsOf(driven, 'latency').map(secondsOf)).toEqual([3600, 1800, 900])
    expect(driven.report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy })
    expect(driven.report?.gaps.filter((gap) => /^P95 latency: only .* was read/.test(gap))).toHaveLength(1)
  })

  it('is a gap after the second half, and what could be read still counts', async () => {
    const wrapTool = failing('loki_search', 'TIMEOUT', () => true)
    const driven = await diagnoseIncident(deployRegression(usual), { wrapTool, ticket: 'stop' })
    expect(attemptsOf(driven, 'error-logs')).toHaveLength(3)
    expect(driven.report?.gaps).toContain('Error logs: could not be read (TIMEOUT): an injected fault.')
    expect(driven.report?.conclusion).toMatchObject({ cause: 'deployment', confidence: 'medium' })
  })

  it('of the logs does not make the edge of the shorter window look like an onset', async () => {
    const wrapTool = failing('loki_search', 'TIMEOUT', (args) => secondsOf(args) > 2000)
    const { report } = await diagnoseIncident(deployRegression(usual), { wrapTool, ticket: 'stop' })
    expect(report?.conclusion).toMatchObject({ cause: 'deployment', subject: usual.deploy })
  })
})

describe('RESULT_TOO_LARGE', () => {
  it('makes the planner double the step', async () => {
    const wrapTool = failing('prometheus_query_range', 'RESULT_TOO_LARGE', (args) => Number(args['step_seconds']) < 200)
    const driven = await diagnoseIncident(deployRegression(usual), { wrapTool, ticket: 'stop' })
    expect(attemptsOf(driven, 'latency').map((args) => args['step_seconds'])).toEqual([60, 120, 240])
    expect(driven.report?.conclusion.cause).toBe('deployment')
    expect(driven.report?.gaps).toContain('P95 latency: read with one value in 240 s, finer was too large.')
  })

  it('doubles it at most three times', async () => {
    const wrapTool = failing('prometheus_query_range', 'RESULT_TOO_LARGE', () => true)
    const driven = await diagnoseIncident(deployRegression(usual), { wrapTool, ticket: 'stop' })
    expect(attemptsOf(driven, 'cpu').map((args) => args['step_seconds'])).toEqual([60, 120, 240, 480])
    expect(driven.report?.gaps.some((gap) => gap.includes('RESULT_TOO_LARGE'))).toBe(true)
  })
})

describe('APPROVAL_DENIED', () => {
  it('leaves advice only', async () => {
    const wrapTool = failing('create_incident_ticket', 'APPROVAL_DENIED', () => true)
    const driven = await diagnoseIncident(deployRegression(usual), { wrapTool })
    expect(driven.text).toContain('What follows is advice only.')
    expect(attemptsOf(driven, 'ticket')).toHaveLength(1)
    expect(driven.report?.nextActions.some(({ action }) => /ticket/i.test(action))).toBe(false)
  })
})
