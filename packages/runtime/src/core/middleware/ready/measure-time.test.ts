import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, measureTime, tool, type Timing } from '../../index.ts'
import { ManualClock, ScriptedChatClient } from '../../../testing/index.ts'

function setting(tell: (timing: Timing) => void, warnings: string[] = []) {
  const clock = new ManualClock()
  const slow = tool({
    name: 'slow',
    description: 'Takes 30 ms.',
    inputSchema: z.object({}),
    execute: () => clock.advance(30),
  })
  const gated = tool({
    name: 'gated',
    description: 'Waits.',
    inputSchema: z.object({}),
    needsApproval: true,
    execute: () => 1,
  })
  const after = (turn: string | { readonly calls: readonly { readonly name: string }[] }) => async () => {
    await clock.advance(100)
    return turn
  }
  const model = new ScriptedChatClient([
    after({ calls: [{ name: 'slow' }] }),
    after({ calls: [{ name: 'gated' }] }),
    after('done'),
  ])
  const agent = new Agent({
    model,
    tools: [slow, gated],
    middleware: measureTime(tell, { clock }),
    clock,
    logger: { info: () => undefined, warn: (message) => void warnings.push(message) },
  })
  return { agent, clock }
}

describe('measureTime', () => {
  it('tells how long turns, calls and drives of a run took, waiting for a person left out', async () => {
    const timings: Timing[] = []
    const { agent, clock } = setting((timing) => timings.push(timing))
    const asked = await agent.run('go')
    await clock.advance(60_000)
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result.stopReason).toBe('answered')
    expect(new Set(timings.map(({ runId }) => runId))).toEqual(new Set([result.runId]))
    expect(timings).toMatchObject([
      { kind: 'turn', turn: 1, ms: 100 },
      { kind: 'call', ms: 30, callId: expect.any(String), tool: 'slow', status: 'success', latencyMs: 30 },
      { kind: 'turn', turn: 2, ms: 100 },
      { kind: 'run', ms: 230, stopReason: 'approval_required' },
      { kind: 'call', ms: 0, callId: expect.any(String), tool: 'gated', status: 'success', latencyMs: 0 },
      { kind: 'turn', turn: 3, ms: 100 },
      { kind: 'run', ms: 100, stopReason: 'answered' },
    ])
  })

  it('changes nothing when the callback throws', async () => {
    const warnings: string[] = []
    const { agent } = setting(() => {
      throw new Error('no room')
    }, warnings)
    const asked = await agent.run('go')
    expect(asked.stopReason).toBe('approval_required')
    expect(new Set(warnings)).toEqual(new Set(['measureTime: no room']))
  })
})
