import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Agent, tool } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

const count = 20
const calls = Array.from({ length: count }, (_, n) => ({ name: 'echo', arguments: { text: String(n) } }))

function agentWith(execute: (args: { text: string }, context: { call: { id: string } }) => unknown): Agent {
  const inputSchema = z.object({ text: z.string() })
  return new Agent({
    model: new ScriptedChatClient([{ calls }, 'done']),
    tools: [tool({ name: 'echo', description: 'Says it back.', inputSchema, effects: 'read', execute })],
  })
}

// In this order: the door cannot be shut again.
it('costs nothing until the door is opened: no execution touches async-local storage', async () => {
  const touched = [vi.spyOn(AsyncLocalStorage.prototype, 'run'), vi.spyOn(AsyncLocalStorage.prototype, 'enterWith')]
  const execute = vi.fn(() => 'ok')
  try {
    await agentWith(execute).run('go')
    expect(execute).toHaveBeenCalledTimes(count)
    for (const spy of touched) expect(spy).not.toHaveBeenCalled()
  } finally {
    for (const spy of touched) spy.mockRestore()
  }
})

it('follows async code below execute without leaking between parallel calls, for an agent older than the import too', async () => {
  let current: () => { readonly call: { readonly id: string } } | undefined = () => undefined
  const seen: (readonly [given: string, found: string | undefined])[] = []
  const deep = async (): Promise<string | undefined> => {
    await nextTurn()
    return current()?.call.id
  }
  const agent = agentWith(async (_, { call }) => {
    seen.push([call.id, await deep()])
  })
  const { currentInvocation } = await import('./ambient.ts')
  current = currentInvocation
  await agent.run('go')
  expect(new Set(seen.map(([id]) => id)).size).toBe(count)
  for (const [given, found] of seen) expect(found).toBe(given)
  expect(currentInvocation()).toBeUndefined()
})
