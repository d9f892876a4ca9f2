import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, keepLastMessages, keepWithinTokens, tool, userMessage, type Message } from '../../index.ts'
import { ScriptedChatClient } from '../../../testing/index.ts'

const system: Message = { role: 'system', parts: [{ kind: 'text', text: 'rules' }] }
const says = (text: string): Message => ({ role: 'assistant', parts: [{ kind: 'text', text }] })
const turn = (id: string, size = 1): readonly Message[] => [
  { role: 'assistant', parts: [{ kind: 'function_call', callId: id, name: 'look', arguments: '{}' }] },
  {
    role: 'tool',
    parts: [
      {
        kind: 'function_result',
        callId: id,
        name: 'look',
        call: null,
        status: 'success',
        content: [{ kind: 'text', text: 'x'.repeat(size) }],
      },
    ],
  },
]

describe('keepLastMessages', () => {
  const conversation = [userMessage('one'), says('yes'), userMessage('two'), ...turn('a'), ...turn('b'), ...turn('c')]

  it.each([
    [1, ['one', 'two', 'c']],
    // A third message would split the turn of "b" from its result.
    [3, ['one', 'two', 'c']],
    [4, ['one', 'two', 'b', 'c']],
    [7, ['one', 'two', 'a', 'b', 'c']],
    [8, ['one', 'yes', 'two', 'a', 'b', 'c']],
    [100, ['one', 'yes', 'two', 'a', 'b', 'c']],
  ])('of the newest %i shows whole turns, the first message and the open question', async (count, expected) => {
    expect(names(await keepLastMessages(count)(conversation))).toEqual(expected)
  })

  it('keeps the system message, and an empty conversation empty', async () => {
    const shown = await keepLastMessages(1)([system, userMessage('one'), says('a'), userMessage('two'), says('b')])
    expect(names(shown)).toEqual(['rules', 'one', 'two', 'b'])
    expect(await keepLastMessages(1)([])).toEqual([])
  })

  it('is asked before every turn of a run, and what is stored stays whole', async () => {
    const look = tool({ name: 'look', description: 'Looks.', inputSchema: z.object({}), execute: () => 'seen' })
    const model = new ScriptedChatClient([...Array.from({ length: 5 }, () => ({ calls: [{ name: 'look' }] })), 'done'])
    const agent = new Agent({ model, tools: [look], compaction: keepLastMessages(2) })
    const { messages } = await agent.run('go')
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 3, 3, 3, 3, 3])
    expect(messages).toHaveLength(12)
  })
})

describe('keepWithinTokens', () => {
  it('shows the newest turns that fit beside the first message and the open question', async () => {
    const conversation = [
      userMessage('one'),
      ...turn('a', 400),
      userMessage('two'),
      ...turn('b', 400),
      ...turn('c', 400),
    ]
    expect(names(await keepWithinTokens(1)(conversation))).toEqual(['one', 'two', 'c'])
    expect(names(await keepWithinTokens(450)(conversation))).toEqual(['one', 'two', 'b', 'c'])
    expect(names(await keepWithinTokens(10_000)(conversation))).toEqual(['one', 'a', 'two', 'b', 'c'])
  })

  it('keeps to the budget, to whole turns and to the order, for any conversation', async () => {
    const group = fc.oneof(
      fc.string().map((text) => [userMessage(text)]),
      fc.string().map((text) => [says(text)]),
      fc.tuple(fc.uuid(), fc.nat(300)).map(([id, size]) => turn(id, size)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(group, { maxLength: 20 }), fc.integer({ min: 1, max: 400 }), async (groups, tokens) => {
        const conversation = groups.flat()
        const shown = await keepWithinTokens(tokens)(conversation)
        const places = shown.map((message) => conversation.indexOf(message))
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        for (const [index, message] of shown.entries()) {
          if (message.role === 'tool') expect(shown[index - 1]).toBe(conversation[(places[index] ?? 0) - 1])
        }
        expect(shown.at(-1)).toBe(conversation.at(-1))
        const always = await keepWithinTokens(1)(conversation)
        const size = shown.reduce((sum, { parts }) => sum + JSON.stringify(parts).length, 0)
        if (shown.length > always.length) expect(size).toBeLessThanOrEqual(tokens * 4)
      }),
    )
  })
})

it.each([0, -1, 1.5])('a size of %s is refused', (size) => {
  expect(() => keepLastMessages(size)).toThrow('keepLastMessages: count must be a whole number from 1')
  expect(() => keepWithinTokens(size)).toThrow('keepWithinTokens: tokens must be a whole number from 1')
})

/** Each message by its text or its call; results go with their call. */
function names(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, parts: [part] }) => {
    if (part?.kind === 'text') return [part.text]
    if (part?.kind === 'function_call') return [part.callId]
    return role === 'tool' ? [] : ['?']
  })
}
