import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  memoryStore,
  tool,
  type Json,
  type Middleware,
  type RunUpdate,
} from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

function setting(middleware: readonly Middleware[], turns?: readonly ScriptedTurn[]) {
  const ran: Json[] = []
  const model = new ScriptedChatClient(turns ?? [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'done'])
  const store = memoryStore()
  const add = tool({
    name: 'add',
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    effects: 'read',
    execute: (args) => {
      ran.push(args)
      return { sum: args.a + args.b }
    },
  })
  return { ran, model, store, agent: new Agent({ model, tools: [add], middleware, store }) }
}

describe('middleware: three kinds in one list', () => {
  it('wraps runs, turns and calls in listed order, outermost first', async () => {
    const log: string[] = []
    const around = (name: string) => async (_: unknown, next: () => Promise<void>) => {
      log.push(`${name} in`)
      await next()
      log.push(`${name} out`)
    }
    const { agent } = setting([
      functionMiddleware(around('f1')),
      agentMiddleware(around('a1')),
      chatMiddleware(around('c1')),
      functionMiddleware(around('f2')),
      agentMiddleware(around('a2')),
    ])
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(log).toEqual([
      'a1 in',
      'a2 in',
      'c1 in',
      'c1 out',
      'f1 in',
      'f2 in',
      'f2 out',
      'f1 out',
      'c1 in',
      'c1 out',
      'a2 out',
      'a1 out',
    ])
  })

  it('a short circuit is journalled as such, and nothing runs', async () => {
    const { agent, ran, store } = setting([
      functionMiddleware(
        (context) => {
          context.result = 'from the cache'
        },
        { name: 'cache' },
      ),
    ])
    const result = await agent.run('go')
    expect(ran).toEqual([])
    const [call] = await store.journal.calls(result.runId)
    expect(call?.transitions.map(({ state, detail }) => [state, detail])).toEqual([
      ['Requested', null],
      ['Validated', null],
      ['PolicyChecked', null],
      ['Executing', { by: 'middleware:cache', executed: false }],
      ['Succeeded', { by: 'middleware:cache', executed: false }],
      ['Observed', null],
    ])
    expect(call?.result?.answer.content).toEqual([{ kind: 'text', text: 'from the cache' }])
  })

  it('middleware asks a person, and the same approval satisfies it when the run goes on', async () => {
    const asks = functionMiddleware(
      async (context, next) => {
        context.requireApproval({ reason: 'because' })
        await next()
      },
      { name: 'careful' },
    )
    const { agent, ran } = setting([asks])
    const asked = await agent.run('go')
    expect(asked.stopReason).toBe('approval_required')
    expect(asked.approvals).toMatchObject([{ askedBy: 'middleware:careful', askReason: 'because' }])
    expect(ran).toEqual([])
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ran).toHaveLength(1)
  })

  it('replaced arguments go through validation and policy, and the journal names who replaced them', async () => {
    const { agent, ran, store } = setting([
      functionMiddleware(
        async (context, next) => {
          await context.replaceArgs({ a: 5, b: 6 })
          await next()
        },
        { name: 'swap' },
      ),
    ])
    const result = await agent.run('go')
    expect(ran).toEqual([{ a: 5, b: 6 }])
    const [call] = await store.journal.calls(result.runId)
    expect(call?.transitions.map(({ state }) => state)).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'Validated',
      'PolicyChecked',
      'Executing',
      'Succeeded',
      'Observed',
    ])
    expect(call?.transitions[3]?.detail).toEqual({ by: 'middleware:swap' })
  })

  it.each(['throws before', 'returns nothing', 'throws after'] as const)(
    'a guard that %s fails closed',
    async (how) => {
      const guard = functionMiddleware(
        async (_, next) => {
          if (how === 'throws before') throw new Error('no')
          if (how === 'returns nothing') return
          await next()
          throw new Error('late')
        },
        { name: 'guard', guard: true },
      )
      const { agent, ran, store } = setting([guard])
      const result = await agent.run('go')
      const [call] = await store.journal.calls(result.runId)
      if (how === 'throws after') {
        expect(ran).toHaveLength(1)
        expect(result.stopReason).toBe('terminated')
        expect(call?.result?.errorCode).toBe('RESULT_WITHHELD')
        expect(call?.transitions.at(-2)?.state).toBe('Succeeded')
      } else {
        expect(ran).toEqual([])
        expect(result.stopReason).toBe('answered')
        expect(call?.transitions.at(-2)?.state).toBe('Rejected')
        expect(call?.result?.errorCode).toBe('POLICY_ERROR')
      }
    },
  )

  it('chat middleware sees each turn, changes what is asked and hooks the pieces, streamed and not', async () => {
    for (const streaming of [false, true]) {
      const turns: number[] = []
      const { agent, model } = setting([
        chatMiddleware(async (context, next) => {
          turns.push(context.turn)
          context.request = { ...context.request, instructions: 'changed' }
          context.stream.map((update) =>
            update.kind === 'text-delta' ? { ...update, text: update.text.toUpperCase() } : update,
          )
          await next()
        }),
      ])
      let text = ''
      const updates: RunUpdate[] = []
      if (streaming) {
        const stream = agent.stream('go')
        const { result } = stream
        for await (const update of stream) {
          updates.push(update)
          if (update.kind === 'text-delta') text += update.text
        }
        expect((await result).text).toBe('DONE')
        expect(text).toBe('DONE')
      } else expect((await agent.run('go')).text).toBe('DONE')
      expect(turns).toEqual([1, 2])
      expect(model.requests.map(({ instructions }) => instructions)).toEqual(['changed', 'changed'])
    }
  })

  it('agent middleware may answer in the place of a run, change its last message, and drive it again', async () => {
    const cached = setting([
      agentMiddleware((context) => {
        context.result = 'I know this one.'
      }),
    ])
    expect(await cached.agent.run('go')).toMatchObject({ stopReason: 'answered', text: 'I know this one.' })
    expect(cached.model.requests).toHaveLength(0)

    const changed = setting([
      agentMiddleware(async (context, next) => {
        await next()
        context.result = `${context.result?.text ?? ''}!`
      }),
    ])
    const result = await changed.agent.run('go')
    expect(result.text).toBe('done!')
    expect((await changed.store.sessions.get(result.sessionId))?.messages.at(-1)?.parts).toEqual([
      { kind: 'text', text: 'done!' },
    ])

    const again = setting(
      [
        agentMiddleware(async (context, next) => {
          await next()
          context.addMessage('shorter')
          await next()
        }),
      ],
      ['long', 'short'],
    )
    expect(await again.agent.run('go')).toMatchObject({ stopReason: 'answered', text: 'short' })
  })

  it('a tool added by a tool can be called in the next turn; gone after the run', async () => {
    const extra = tool({ name: 'extra', description: 'Extra.', inputSchema: z.object({}), execute: () => 'extra ran' })
    const model = new ScriptedChatClient([
      { calls: [{ name: 'open_box' }] },
      { calls: [{ name: 'extra' }] },
      'done',
      { calls: [{ name: 'extra' }] },
      'gone',
    ])
    const openBox = tool({
      name: 'open_box',
      description: 'Opens.',
      inputSchema: z.object({}),
      execute: (_, context) => {
        context.tools.add(extra)
        return 'opened'
      },
    })
    const agent = new Agent({ model, tools: [openBox] })
    const first = await agent.run('go')
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['open_box'],
      ['open_box', 'extra'],
      ['open_box', 'extra'],
    ])
    expect(JSON.stringify(first.messages)).toContain('extra ran')
    const second = await agent.run('again')
    expect(JSON.stringify(second.messages)).toContain('UNKNOWN_TOOL')
  })
})
