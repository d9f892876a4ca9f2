import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  CallResult,
  functionMiddleware,
  tool,
  type AgentOptions,
  type FunctionContext,
  type RunResult,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => ({ found: ['a'] }),
})

async function looked(options: AgentOptions): Promise<{ readonly agent: Agent; readonly result: RunResult }> {
  const agent = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'look', arguments: {} }] }, 'done']),
    tools: [look],
    ...options,
  })
  return { agent, result: await agent.run('go', { principal: { id: 'ann', roles: ['reader'] } }) }
}

async function callOf({ agent, result }: Awaited<ReturnType<typeof looked>>) {
  const [call] = await agent.store.journal.calls(result.runId)
  expect(call).toBeDefined()
  return { call: call!, shown: call!.result?.answer.content }
}

const after = (change: (context: FunctionContext) => void) =>
  functionMiddleware(async (context, next) => {
    await next()
    change(context)
  })

describe('what middleware, tools and ports are handed', () => {
  it.each<[string, (context: FunctionContext) => void]>([
    ['a state', ({ call }) => Object.assign(call.transitions[0] ?? {}, { state: 'EVIL' })],
    ['the principal', ({ call }) => Object.assign(call.principal, { id: 'eve' })],
    ['a role', ({ principal }) => void (principal.roles as string[]).push('admin')],
    [
      'data of the result',
      ({ result }) => void (result as unknown as { data: { found: string[] } }).data.found.push('b'),
    ],
  ])('cannot be changed under the record: %s', async (_, change) => {
    let thrown: unknown
    const middleware = after((context) => {
      try {
        change(context)
      } catch (error) {
        thrown = error
      }
    })
    const { call } = await callOf(await looked({ middleware: [middleware] }))
    expect(thrown).toBeInstanceOf(TypeError)
    expect(call.principal).toEqual({ id: 'ann', roles: ['reader'] })
    expect(call.transitions[0]?.state).toBe('Requested')
  })

  it("a mapper that writes into the result is withheld, and the evidence stays the tool's", async () => {
    const ran = await looked({
      observation: {
        map(envelope) {
          ;(envelope.data as { found: string[] }).found.push('REDACTED')
          return []
        },
      },
    })
    const { call } = await callOf(ran)
    expect(call.result?.errorCode).toBe('INTERNAL')
    expect((await ran.agent.store.evidence.get(call.result?.evidenceUri ?? ''))?.value).toEqual({ found: ['a'] })
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['no list', () => 'text'],
    ['what JSON cannot carry', () => [{ kind: 'data', data: 1n }]],
    ['a call', () => [{ kind: 'function_call', callId: 'x', name: 'rm', arguments: '{}' }]],
  ])('a mapper that gives %s, at once or later, has the result withheld', async (_, given) => {
    for (const map of [() => given() as never, async () => given() as never]) {
      const { call, shown } = await callOf(await looked({ observation: { map } }))
      expect(call.transitions.at(-1)?.state).toBe('Observed')
      expect(call.result?.errorCode).toBe('INTERNAL')
      expect(shown).toHaveLength(1)
    }
  })

  it('a principal that is none is refused before anything begins', async () => {
    const agent = new Agent({ model: new ScriptedChatClient(['x']) })
    for (const principal of [{ id: '' }, {}, 'ann', { id: 'a', roles: [1n] }]) {
      await expect(agent.run('go', { principal: principal as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    }
  })
})

describe('a result that middleware makes itself', () => {
  it('is read member by member: what is no content of a result does not pass as one', async () => {
    const odd = new CallResult({
      status: 'weird' as never,
      data: { x: 1 },
      summary: null,
      errorCode: null,
      retryable: false,
      items: [{ kind: 'function_call', callId: 'x', name: 'rm', arguments: '{}' } as never],
    })
    const { call, shown } = await callOf(
      await looked({
        middleware: [
          after((context) => {
            context.result = odd
          }),
        ],
      }),
    )
    expect(call.result?.status).toBe('success')
    expect(shown).toEqual([{ kind: 'data', data: { x: 1 } }])
  })

  it('that JSON cannot carry is a fault of the piece, and the run goes on', async () => {
    const loop: { [key: string]: unknown } = {}
    loop['self'] = loop
    const set = after((context) => {
      context.result = new CallResult({
        status: 'success',
        data: loop as never,
        summary: null,
        errorCode: null,
        retryable: false,
        items: [],
      })
    })
    const ran = await looked({ middleware: [set] })
    expect(ran.result.text).toBe('done')
    expect((await callOf(ran)).call.result?.errorCode).toBe('RESULT_WITHHELD')
  })

  it('as a copy with other data shows the other data, with other items those', async () => {
    const withData = after((context) => {
      context.result = Object.assign({}, context.result, { data: { found: ['z'] } })
    })
    expect((await callOf(await looked({ middleware: [withData] }))).shown).toEqual([
      { kind: 'data', data: { found: ['z'] } },
    ])
    const items = [{ kind: 'text', text: 'only this' }]
    const withItems = after((context) => {
      context.result = Object.assign({}, context.result, { items })
    })
    expect((await callOf(await looked({ middleware: [withItems] }))).shown).toEqual(items)
  })
})

it('an answer that agent middleware sets is a message, without calls and consents', async () => {
  for (const [parts, word] of [
    [[{ kind: 'data', data: 1n }], 'INVALID'],
    [[{ kind: 'function_approval_response', id: 'a', approved: true, by: 'x' }], 'holds a function_approval_response'],
    [undefined, 'parts'],
  ] as const) {
    const setting = agentMiddleware(async (context, next) => {
      await next()
      context.result = { role: 'assistant', parts } as never
    })
    const { result } = await looked({ middleware: [setting] })
    expect(result.stopReason).toBe('terminated')
    expect(result.error).toContain(word === 'INVALID' ? 'JSON' : word)
  }
})

it('a run is begun by something: an empty list, cards and other things are refused', async () => {
  const agent = new Agent({ model: new ScriptedChatClient(['never']) })
  const card = { id: 'approval_1', approve: () => ({}) }
  for (const input of [[], [card], [null], ['hi'], null, 7]) {
    await expect(agent.run(input as never)).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
  }
})

it('a logger that is asynchronous and fails changes nothing', async () => {
  const logger = {
    info: () => undefined,
    warn: async (): Promise<never> => {
      throw new Error('disk full')
    },
  }
  const failing = after(() => {
    throw new Error('x')
  })
  const { result } = await looked({ logger: logger as never, middleware: [failing] })
  expect(result.text).toBe('done')
})
