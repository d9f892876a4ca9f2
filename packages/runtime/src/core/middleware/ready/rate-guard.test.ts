import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, rateGuard, tool, type RateGuardOptions, type RunResult } from '../../index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../../../testing/index.ts'

function setting(options: RateGuardOptions, turns: readonly ScriptedTurn[]) {
  const ran: string[] = []
  const define = (name: string) =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: z.object({}),
      execute: async () => {
        await Promise.resolve()
        ran.push(name)
        return 'done'
      },
    })
  const model = new ScriptedChatClient(turns)
  const agent = new Agent({ model, tools: [define('ping'), define('pong')], middleware: [rateGuard(options)] })
  return { agent, ran }
}

const batch = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) })

function codes({ messages }: RunResult): readonly (string | undefined)[] {
  const results = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === 'function_result'))
  return results.map((part) => part.errorCode)
}

describe('rateGuard', () => {
  it('lets exactly so many of many parallel calls through, and says why to the others', async () => {
    const { agent, ran } = setting({ calls: 3, windowMs: 1000, clock: new ManualClock() }, [
      batch(...Array.from({ length: 64 }, () => 'ping')),
      'done',
    ])
    const result = await agent.run('go')
    expect(result.stopReason).toBe('answered')
    expect(ran).toHaveLength(3)
    expect(codes(result).filter((code) => code === 'RATE_LIMITED')).toHaveLength(61)
    expect(JSON.stringify(result.messages)).toContain('At most 3 calls in 1000 ms are let through here.')
    const calls = await agent.store.journal.calls(result.runId)
    expect(
      calls.filter(({ state, transitions }) => state === 'Observed' && transitions.at(-2)?.state === 'Rejected'),
    ).toHaveLength(61)
  })

  it('counts over runs, and lets calls through again as the window moves on', async () => {
    const clock = new ManualClock()
    const { agent, ran } = setting(
      { calls: 2, windowMs: 1000, clock },
      Array.from({ length: 5 }, () => [batch('ping'), 'done']).flat(),
    )
    await agent.run('go')
    await clock.advance(600)
    await agent.run('go')
    expect(codes(await agent.run('go'))).toEqual(['RATE_LIMITED'])
    await clock.advance(400)
    // The first is 1000 ms ago now, the second 400.
    expect(codes(await agent.run('go'))).toEqual([undefined])
    expect(codes(await agent.run('go'))).toEqual(['RATE_LIMITED'])
    expect(ran).toHaveLength(3)
  })

  it.each([
    ['tool', 2],
    ['principal', 2],
    ['toolAndPrincipal', 4],
  ] as const)('limits per %s', async (per, expected) => {
    const options = { calls: 1, windowMs: 1000, per, clock: new ManualClock() }
    const { agent, ran } = setting(options, [batch('ping', 'pong'), 'done', batch('ping', 'pong'), 'done'])
    await agent.run('go', { principal: { id: 'ann', tenant: 'north' } })
    await agent.run('go', { principal: { id: 'ann', tenant: 'south' } })
    expect(ran).toHaveLength(expected)
  })

  it('leaves other tools alone', async () => {
    const options = { calls: 1, windowMs: 1000, tools: ['ping'], clock: new ManualClock() }
    const { agent, ran } = setting(options, [batch('ping', 'ping', 'pong', 'pong'), 'done'])
    await agent.run('go')
    expect(ran.toSorted()).toEqual(['ping', 'pong', 'pong'])
  })

  it('counts a call once when its run waited for a person in between', async () => {
    const clock = new ManualClock()
    const asks = functionMiddleware(
      async (context, next) => {
        context.requireApproval({ reason: 'Look first.' })
        await next()
      },
      { name: 'asks' },
    )
    const { agent, ran } = setting({ calls: 1, windowMs: 1000, clock }, [batch('ping'), 'done'])
    const careful = agent.with({ middleware: [rateGuard({ calls: 1, windowMs: 1000, clock }), asks] })
    const asked = await careful.run('go')
    expect(asked.stopReason).toBe('approval_required')
    const result = await careful.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(codes(result)).toEqual([undefined])
    expect(ran).toHaveLength(1)
  })

  it('refuses limits nobody can keep', () => {
    expect(() => rateGuard({ calls: 0, windowMs: 1000 })).toThrow('rateGuard: calls must be a whole number from 1')
    expect(() => rateGuard({ calls: 1, windowMs: 0.5 })).toThrow('rateGuard: windowMs must be a whole number from 1')
  })
})
