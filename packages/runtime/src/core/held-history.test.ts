import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, agentMiddleware, tool, type ChatClient, type ChatRequest } from './index.ts'

/** A provider that keeps the conversation: it is told what it has not seen. */
function keeping() {
  const requests: ChatRequest[] = []
  const model: ChatClient = {
    model: 'keeping',
    generate: async (request) => {
      requests.push(request)
      const parts = [{ kind: 'text' as const, text: `answer ${requests.length}` }]
      return { parts, finishReason: 'stop', conversationId: `conv_${requests.length}` }
    },
  }
  return { model, requests }
}

const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), effects: 'read', execute: () => 1 })

it('a provider that holds the history is told all of it again after a run that did not ask it', async () => {
  const short = agentMiddleware((context) => void (context.result = 'cached'))
  const others: readonly ((agent: Agent, session: { id: string }) => Promise<unknown>)[] = [
    (agent, session) => agent.call('look', {}, { session: session as never }).result,
    (agent, session) => agent.run('two', { session: session as never, middleware: short }),
  ]
  for (const other of others) {
    const { model, requests } = keeping()
    const agent = new Agent({ model, tools: [look] })
    const session = await agent.session()
    await agent.run('one', { session })
    await other(agent, session)
    await agent.run('three', { session })
    expect(requests.map(({ conversationId }) => conversationId)).toEqual([undefined, undefined])
    expect(requests[1]?.messages.length).toBeGreaterThan(3)
    await agent.run('four', { session })
    expect(requests[2]?.conversationId).toBe('conv_2')
    expect(requests[2]?.messages).toHaveLength(1)
  }
})

it('a history hook chooses what a provider is told first; what it holds is not chosen again, and nothing is lost', async () => {
  const requests: ChatRequest[] = []
  const model: ChatClient = {
    model: 'keeping',
    generate: async (request) => {
      requests.push(request)
      const call = { kind: 'function_call', callId: 'c', name: 'look', arguments: '{}' } as const
      return requests.length === 1
        ? { parts: [call], finishReason: 'tool_calls', conversationId: 'conv' }
        : { parts: [{ kind: 'text', text: 'seen' }], finishReason: 'stop', conversationId: 'conv' }
    },
  }
  let asked = 0
  const compaction = (messages: readonly unknown[]) => {
    asked++
    return messages as never
  }
  expect((await new Agent({ model, tools: [look], compaction }).run('go')).text).toBe('seen')
  expect(requests[1]?.messages.map(({ role, parts }) => [role, parts[0]?.kind])).toEqual([['tool', 'function_result']])
  expect(asked).toBe(1)
})
