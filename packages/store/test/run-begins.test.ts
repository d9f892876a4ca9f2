import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  agentMiddleware,
  memoryStore,
  tool,
  type ChatClient,
  type ContentPart,
  type Store,
} from '@fairlead/runtime'
import { ManualClock } from '@fairlead/runtime/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/index.ts'

let folder = ''
let opened: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-begins-'))
  opened = []
})

afterEach(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function kept(store: Store): Store {
  opened.push(store)
  return store
}

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => kept(memoryStore())],
  ['SQLite', () => kept(sqliteStore({ file: join(folder, 'store.db') }))],
]

/** A model whose turns are held until they are let go; counts who asked. */
function heldModel(...turns: readonly (readonly ContentPart[])[]) {
  let asked = 0
  let wake: (() => void)[] = []
  let heard: (() => void) | undefined
  const model: ChatClient = {
    model: 'held',
    generate: async () => {
      const parts = turns[asked++] ?? [{ kind: 'text', text: 'no more' }]
      heard?.()
      await new Promise<void>((resolve) => wake.push(resolve))
      return { parts, finishReason: 'stop' }
    },
  }
  return {
    model,
    asked: () => asked,
    isAsked: (count = 1) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (asked < count) return
          heard = undefined
          resolve()
        }
        heard = look
        look()
      }),
    letGo: () => {
      const woken = wake
      wake = []
      for (const one of woken) one()
    },
  }
}

const said = (text: string): ContentPart => ({ kind: 'text', text })

describe.each(stores)('a run begins, %s', (_, makeStore) => {
  it('its prompt is written before the model is asked, and its claim is renewed while the model thinks', async () => {
    const store = makeStore()
    const clock = new ManualClock()
    const { model, isAsked, letGo } = heldModel([said('hello')])
    const running = new Agent({ store, clock, model, leaseMs: 3000 }).run('hi', {
      session: await new Agent({ store }).session('s'),
    })
    await isAsked()
    const [run] = await store.journal.runs({ sessionId: 's' })
    expect(run?.status).toBe('running')
    expect((await store.sessions.get('s'))?.messages).toEqual([{ role: 'user', parts: [said('hi')] }])
    for (let count = 0; count < 12; count++) await clock.advance(1000)
    letGo()
    expect(await running).toMatchObject({ stopReason: 'answered', text: 'hello' })
  })

  it('a slow context provider does not cost it its claim', async () => {
    const store = makeStore()
    const clock = new ManualClock()
    const { model, isAsked, letGo } = heldModel([said('hello')])
    let brought: () => void = () => undefined
    const bringing = new Promise<void>((resolve) => (brought = resolve))
    const slow = { name: 'slow', beforeRun: () => bringing }
    const running = new Agent({ store, clock, model, leaseMs: 3000, contextProviders: [slow] }).run('hi')
    for (let count = 0; count < 12; count++) await clock.advance(1000)
    brought()
    await isAsked()
    letGo()
    expect(await running).toMatchObject({ stopReason: 'answered', text: 'hello' })
  })

  it('of two that begin a conversation at once one is refused before its model is asked', async () => {
    const store = makeStore()
    const { model, asked, isAsked, letGo } = heldModel([said('one')], [said('two')])
    const agent = new Agent({ store, model })
    const session = await agent.session('s')
    const runs = Promise.allSettled([agent.run('a', { session }), new Agent({ store, model }).run('b', { session })])
    await isAsked()
    await expect(agent.run('c', { session })).rejects.toMatchObject({ code: 'RUN_BUSY' })
    letGo()
    const outcomes = await runs
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'RUN_BUSY' } })
    expect(asked()).toBe(1)
  })

  it('what is said to a conversation reaches its run, also when another one was turned away meanwhile', async () => {
    const store = makeStore()
    const { model, asked, isAsked, letGo } = heldModel([said('one')], [said('two')])
    const agent = new Agent({ store, model })
    const session = await agent.session('s')
    const running = agent.run('a', { session })
    const turnedAway = new Agent({ store, model }).run('b', { session })
    await expect(turnedAway).rejects.toMatchObject({ code: 'RUN_BUSY' })
    await isAsked()
    agent.inject(session, 'and this')
    letGo()
    await isAsked(2)
    letGo()
    expect((await running).text).toBe('two')
    expect(asked()).toBe(2)
  })

  it('of two calls by the host, or runs that middleware answers, begun at once one is busy', async () => {
    const store = makeStore()
    const look = tool({ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, execute: () => 1 })
    const short = agentMiddleware((context) => void (context.result = 'short'))
    const agent = new Agent({ store, tools: [look], model: heldModel().model, middleware: short })
    const session = await agent.session('s')
    const calling = new Agent({ store, tools: [look] })
    const pairs = [() => calling.call('look', {}, { session }).result, () => agent.run('go', { session })]
    for (const begin of pairs) {
      const outcomes = await Promise.allSettled([begin(), begin()])
      const lost = outcomes.flatMap((outcome) =>
        outcome.status === 'rejected' ? [outcome.reason as { code: string }] : [],
      )
      for (const { code } of lost) expect(code).toBe('RUN_BUSY')
      expect(lost.length).toBeLessThan(2)
    }
  })

  it('of two answers to a provider one is written and sent, the other refused', async () => {
    const store = makeStore()
    const question: readonly ContentPart[] = [
      { kind: 'function_call', callId: 'm', name: 'send', arguments: '{}', providerExecuted: true },
      { kind: 'hosted_approval_request', id: 'r', callId: 'm' },
    ]
    const { model, asked, isAsked, letGo } = heldModel(question, [said('sent')])
    const agent = new Agent({ store, model })
    const first = agent.run('go')
    await isAsked()
    letGo()
    const { hostedApprovals, sessionId } = await first
    const both = Promise.allSettled(
      hostedApprovals.flatMap((one) => [
        agent.run([one.approve({ by: 'ann' })]),
        new Agent({ store, model }).run([one.deny({ by: 'bob', reason: 'no' })]),
      ]),
    )
    await isAsked(2)
    const written = (await store.sessions.get(sessionId))?.messages.at(-1)
    expect(written?.parts.map(({ kind }) => kind)).toEqual(['hosted_approval_response'])
    letGo()
    const outcomes = await both
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(asked()).toBe(2)
  })
})
