import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, tool, ToolError, type ToolClass } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

it.each<[ToolClass, 'read' | 'write', string]>([
  ['nonIdempotent', 'write', 'Unknown'],
  ['readOnly', 'read', 'Failed'],
])('a tool of class %s that says itself that it does not know ends %s as %s', async (toolClass, effects, state) => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    effects,
    class: toolClass,
    execute: () => {
      throw new ToolError('IN_DOUBT', 'The bank hung up.', { detail: { sent: true } })
    },
  })
  const model = new ScriptedChatClient([{ calls: [{ name: 'pay', arguments: {} }] }, 'done'])
  const agent = new Agent({ model, tools: [pay] })
  const { runId, text } = await agent.run('go')
  expect(text).toBe('done')
  const [call] = await agent.store.journal.calls(runId)
  expect(call?.transitions.map((step) => step.state)).toContain(state)
  expect(call?.result).toMatchObject({ status: 'error', errorCode: 'IN_DOUBT' })
  const verdict = await agent.resolveCall(call!.id, { kind: 'done', by: 'ann' })
  expect(verdict.kind).toBe(state === 'Unknown' ? 'resolved' : 'refused')
})
