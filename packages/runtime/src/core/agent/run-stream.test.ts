import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, tool, type ChatClient, type RunUpdate } from '../index.ts'
import { ScriptedChatClient } from '../../testing/index.ts'

const turns = 20

function talkative(): Agent {
  const script = Array.from({ length: turns }, () => ({ calls: [{ name: 'tick', arguments: {} }] }))
  return new Agent({
    model: new ScriptedChatClient([...script, 'done']),
    tools: [
      tool({
        name: 'tick',
        description: 'Ticks.',
        inputSchema: z.object({}),
        effects: 'read',
        execute: async () => 'tock',
      }),
    ],
  })
}

async function iterated(): Promise<readonly string[]> {
  const kinds: string[] = []
  for await (const update of talkative().stream('go')) kinds.push(update.kind)
  return kinds
}

/** What `next` gave, in the order of asking, until the first end. */
function kindsOf(results: readonly IteratorResult<RunUpdate, void>[]): readonly string[] {
  return results.flatMap((result) => (result.done === true ? [] : [result.value.kind]))
}

it.each([2, 3, 200])('every next is answered, in the order asked, when %i are asked for at a time', async (width) => {
  const expected = await iterated()
  expect(expected.length).toBeGreaterThan(turns * 4)
  const updates = talkative().stream('go')[Symbol.asyncIterator]()
  const results: IteratorResult<RunUpdate, void>[] = []
  do results.push(...(await Promise.all(Array.from({ length: width }, () => updates.next()))))
  while (results.at(-1)?.done !== true)
  expect(kindsOf(results)).toEqual(expected)
})

it('next asked for without waiting between the answers keeps the order too', async () => {
  const expected = await iterated()
  const updates = talkative().stream('go')[Symbol.asyncIterator]()
  const results: IteratorResult<RunUpdate, void>[] = []
  const one = async (): Promise<void> => {
    const result = await updates.next()
    results.push(result)
    if (result.done !== true) await Promise.all([one(), results.length % 2 === 0 ? one() : null])
  }
  await one()
  expect(kindsOf(results)).toEqual(expected)
})

it('a listener that went away has every open next answered at once, while the run goes on', async () => {
  let finish = (): void => undefined
  const held = new Promise<void>((resolve) => (finish = resolve))
  const model: ChatClient = {
    model: 'held',
    generate: async () => {
      await held
      return { parts: [{ kind: 'text', text: 'done' }], finishReason: 'stop' }
    },
  }
  const stream = new Agent({ model }).stream('go')
  const updates = stream[Symbol.asyncIterator]()
  const open = Array.from({ length: 5 }, () => updates.next())
  await updates.return?.()
  expect((await Promise.all(open)).at(-1)?.done).toBe(true)
  expect((await updates.next()).done).toBe(true)
  finish()
  expect((await stream.result).text).toBe('done')
})

it('who gives up with an error keeps it, and the run goes on', async () => {
  const stream = talkative().stream('go')
  const updates = stream[Symbol.asyncIterator]()
  await updates.next()
  const mine = new Error('mine')
  await expect(updates.throw?.(mine)).rejects.toBe(mine)
  expect(await updates.next()).toEqual({ done: true, value: undefined })
  expect((await stream.result).text).toBe('done')
})
