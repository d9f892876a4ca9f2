import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, memoryStore, tool, type CallRecord } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

function agentAround(name: string, inner: Agent): Agent {
  return new Agent({
    name,
    model: new ScriptedChatClient([{ calls: [{ name: inner.name, arguments: { task: 'pay' } }] }, 'never asked']),
    tools: [inner.asTool({ name: inner.name, description: 'Pays.' })],
  })
}

it.each([1, 2])(
  'a run that ends while an agent inside its calls waits takes it along: nothing is asked and nothing paid, %i deep',
  async (depth) => {
    const store = memoryStore()
    let paid = 0
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      effects: 'write',
      needsApproval: true,
      execute: () => void paid++,
    })
    const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), execute: () => 1 })
    const clerk = new Agent({
      name: 'clerk',
      model: new ScriptedChatClient([
        {
          calls: [
            { name: 'look', arguments: {} },
            { name: 'pay', arguments: {} },
          ],
        },
        'paid',
      ]),
      tools: [pay, look],
    })
    const inner = depth === 1 ? clerk : agentAround('office', clerk)
    const stop = tool({ name: 'stop', description: 'Stops.', inputSchema: z.object({}), execute: () => 1 })
    const ending = functionMiddleware(async (context, next) => {
      await next()
      if (context.tool.name === 'stop') context.terminate()
    })
    const outer = new Agent({
      store,
      model: new ScriptedChatClient([
        {
          calls: [
            { name: inner.name, arguments: { task: 'pay' } },
            { name: 'stop', arguments: {} },
          ],
        },
        'never asked',
      ]),
      tools: [inner.asTool({ name: inner.name, description: 'Pays.' }), stop],
      middleware: [ending],
    })
    const result = await outer.run('go')
    expect(result).toMatchObject({ stopReason: 'terminated', approvals: [] })
    expect(await store.approvals.list({ status: 'pending' })).toEqual([])
    const runs = await store.journal.runs({})
    expect(runs).toHaveLength(depth + 1)
    const answered: CallRecord[] = []
    for (const run of runs) {
      expect(run.status).toBe('ended')
      const calls = await store.journal.calls(run.id)
      for (const call of calls) expect(call.result).not.toBeNull()
      answered.push(...calls)
      const messages = (await store.sessions.get(run.sessionId))?.messages ?? []
      const parts = messages.flatMap((message) => message.parts)
      const idsOf = (kind: string) =>
        parts.flatMap((part) => (part.kind === kind && 'callId' in part ? [part.callId] : []))
      expect(idsOf('function_result')).toEqual(idsOf('function_call'))
    }
    expect(answered.length).toBe(depth + 3)
    const [request] = await store.approvals.list({})
    const answer = { kind: 'function_approval_response', id: request?.id ?? '', approved: true, by: 'ann' } as const
    await expect(outer.decide(answer)).resolves.toMatchObject({ kind: 'expired' })
    expect((await outer.run([answer])).refused).toMatchObject([{ id: request?.id }])
    expect(paid).toBe(0)
  },
)
