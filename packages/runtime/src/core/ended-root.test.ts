import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, memoryStore, tool } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

it("a request of an agent inside a call whose outer run has ended is refused, and stays nobody's consent", async () => {
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
  const stop = tool({
    name: 'stop',
    description: 'Stops.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => 1,
  })
  const inner = new Agent({
    name: 'clerk',
    model: new ScriptedChatClient([{ calls: [{ name: 'pay', arguments: {} }] }, 'paid']),
    tools: [pay],
  })
  const ending = functionMiddleware(async (context, next) => {
    await next()
    if (context.tool.name === 'stop') context.terminate()
  })
  const outer = new Agent({
    store,
    model: new ScriptedChatClient([
      {
        calls: [
          { name: 'clerk', arguments: { task: 'pay' } },
          { name: 'stop', arguments: {} },
        ],
      },
      'never asked',
    ]),
    tools: [inner.asTool({ name: 'clerk', description: 'Pays.' }), stop],
    middleware: [ending],
  })
  const result = await outer.run('go')
  expect(result.stopReason).toBe('terminated')
  const [request, ...more] = await store.approvals.list({ status: 'pending' })
  expect(more).toEqual([])
  const answer = { kind: 'function_approval_response', id: request?.id ?? '', approved: true, by: 'ann' } as const
  await expect(outer.decide(answer)).resolves.toMatchObject({ kind: 'ended', stopReason: 'terminated' })
  const again = await outer.run([answer])
  expect(again.refused).toMatchObject([{ id: request?.id, reason: expect.stringContaining('has ended (terminated)') }])
  expect(paid).toBe(0)
})
