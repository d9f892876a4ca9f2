import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, cacheReads, tool, ToolError, type CacheReadsOptions, type Effects } from '../../index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedCall } from '../../../testing/index.ts'

/** An agent that makes one call a turn; `ran` lists the calls that reached their tool. */
function setting(calls: readonly ScriptedCall[], options: Partial<CacheReadsOptions> = {}) {
  const clock = new ManualClock()
  const ran: string[] = []
  const define = (name: string, effects: Effects) =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: z.object({ a: z.string().default('x'), b: z.string().optional() }),
      effects,
      execute: ({ a, b }) => {
        ran.push(`${name} ${a} ${b ?? ''}`.trim())
        if (a === 'bad') throw new ToolError('NOT_THERE', 'Not there.')
        return { name, at: ran.length }
      },
    })
  const model = new ScriptedChatClient(
    Array.from({ length: 3 }, () => [...calls.map((call) => ({ calls: [call] })), 'done']).flat(),
  )
  const agent = new Agent({
    model,
    tools: [define('look', 'read'), define('write', 'write'), define('odd', 'unknown')],
    middleware: [cacheReads({ ttlMs: 1000, clock, ...options })],
    principal: { id: 'ann' },
  })
  return { agent, ran, clock }
}

const look = (args: { readonly [key: string]: string } = {}): ScriptedCall => ({ name: 'look', arguments: args })

describe('cacheReads', () => {
  it('answers an equal call without running it, whatever the order of its arguments and filled-in defaults', async () => {
    const { agent, ran } = setting([look({ a: 'x', b: 'y' }), look({ b: 'y', a: 'x' }), look({ b: 'y' })])
    const { messages, runId } = await agent.run('go')
    expect(ran).toEqual(['look x y'])
    const results = messages.filter(({ role }) => role === 'tool').map(({ parts }) => parts[0])
    expect(results.map((part) => (part?.kind === 'function_result' ? part.content : null))).toEqual(
      Array.from({ length: 3 }, () => [{ kind: 'data', data: { name: 'look', at: 1 } }]),
    )
    const [, second] = await agent.store.journal.calls(runId)
    expect(second?.transitions.find(({ state }) => state === 'Executing')?.detail).toEqual({
      by: 'middleware:cacheReads',
      executed: false,
    })
  })

  it('forgets after its time', async () => {
    const { agent, ran, clock } = setting([look()])
    await agent.run('go')
    await clock.advance(999)
    await agent.run('go')
    expect(ran).toHaveLength(1)
    await clock.advance(1)
    await agent.run('go')
    expect(ran).toHaveLength(2)
  })

  it('keeps results apart by arguments, environment and principal, roles and tenant included', async () => {
    const { agent, ran } = setting([look({ a: 'x' }), look({ a: 'y' })])
    await agent.run('go')
    expect(ran).toHaveLength(2)
    await agent.run('go', { environment: 'production' })
    expect(ran).toHaveLength(4)
    await agent.run('go', { principal: { id: 'ann', roles: ['admin'] } })
    expect(ran).toHaveLength(6)
  })

  it('gives one principal what another read only when told so', async () => {
    for (const shared of [false, true]) {
      const { agent, ran } = setting([look()], { shared })
      await agent.run('go')
      await agent.run('go', { principal: { id: 'bob' } })
      expect(ran).toHaveLength(shared ? 1 : 2)
    }
  })

  it('never keeps a failure, and nothing of a tool that may change something', async () => {
    const { agent, ran } = setting([
      look({ a: 'bad' }),
      look({ a: 'bad' }),
      { name: 'write' },
      { name: 'write' },
      { name: 'odd' },
      { name: 'odd' },
    ])
    await agent.run('go')
    expect(ran).toHaveLength(6)
  })

  it('reads anew after a call that may have changed something, unless told what does', async () => {
    const calls = [look(), { name: 'write' }, look()]
    const anew = setting(calls)
    await anew.agent.run('go')
    expect(anew.ran).toEqual(['look x', 'write x', 'look x'])
    const told = setting(calls, { emptiedBy: ({ tags }) => tags.includes('stock') })
    await told.agent.run('go')
    expect(told.ran).toEqual(['look x', 'write x'])
  })

  it('does not keep what was read beside a call that may change it', async () => {
    const clock = new ManualClock()
    let reads = 0
    let write: () => void = () => undefined
    const written = new Promise<void>((resolve) => (write = resolve))
    const slow = tool({
      name: 'slow_read',
      description: 'Reads.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: async () => {
        reads++
        await written
        return reads
      },
    })
    const change = tool({
      name: 'change',
      description: 'Changes.',
      inputSchema: z.object({}),
      effects: 'write',
      execute: () => write(),
    })
    const model = new ScriptedChatClient([
      { calls: [{ name: 'slow_read' }, { name: 'change' }] },
      { calls: [{ name: 'slow_read' }] },
      'done',
    ])
    await new Agent({ model, tools: [slow, change], middleware: cacheReads({ ttlMs: 1000, clock }) }).run('go')
    expect(reads).toBe(2)
  })

  it('forgets what was not used for longest when it is full', async () => {
    const { agent, ran } = setting(
      [look({ a: '1' }), look({ a: '2' }), look({ a: '1' }), look({ a: '3' }), look({ a: '1' }), look({ a: '2' })],
      { maxEntries: 2 },
    )
    await agent.run('go')
    expect(ran).toEqual(['look 1', 'look 2', 'look 3', 'look 2'])
  })

  it('never answers a call whose arguments stand for stored values', async () => {
    const { agent, ran } = setting([look({ a: '$var1' }), look({ a: '$var1' })])
    await agent.run('go')
    expect(ran).toHaveLength(2)
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a time of %s ms', (ttlMs) => {
    expect(() => cacheReads({ ttlMs })).toThrow('cacheReads: ttlMs must be a whole number from 1')
  })
})

it('shared by two agents it answers none with what the tool of the other said', async () => {
  const cache = cacheReads({ ttlMs: 60_000 })
  const said = async (what: string): Promise<string> => {
    const lookup = tool({
      name: 'lookup',
      description: 'Looks.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => what,
    })
    const model = new ScriptedChatClient([{ calls: [{ name: 'lookup', arguments: {} }] }, 'done'])
    return JSON.stringify((await new Agent({ model, tools: [lookup], middleware: cache }).run('go')).messages)
  }
  expect(await said('of a')).toContain('of a')
  expect(await said('of b')).toContain('of b')
})
