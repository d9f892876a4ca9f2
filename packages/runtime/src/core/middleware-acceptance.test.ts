import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  AgentMiddleware,
  agentMiddleware,
  ChatMiddleware,
  chatMiddleware,
  FunctionMiddleware,
  functionMiddleware,
  memoryStore,
  middlewareBundle,
  tool,
  type AgentContext,
  type AgentOptions,
  type ChatContext,
  type FunctionContext,
  type Middleware,
  type Next,
  type RunUpdate,
} from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

function setting(middleware: unknown, options: Partial<AgentOptions> = {}, turns?: readonly ScriptedTurn[]) {
  const ran: number[] = []
  const model = new ScriptedChatClient(turns ?? [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'done'])
  const store = memoryStore()
  const add = tool({
    name: 'add',
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => {
      ran.push(a + b)
      return a + b
    },
  })
  const agent = new Agent({ model, tools: [add], store, middleware: middleware as Middleware, ...options })
  return { ran, model, store, agent, add }
}

/** What an agent says to a list that is not as it should be. */
function refusal(middleware: unknown): string {
  try {
    new Agent({ middleware: middleware as Middleware })
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_MIDDLEWARE' })
    return error instanceof Error ? error.message : ''
  }
  return 'taken'
}

async function passing(this: void, _: unknown, next: Next): Promise<void> {
  await next()
}

describe('middleware: forms and kinds', () => {
  it('MAF 95: classes, functions and both mixed run in listed order, nested', async () => {
    const log: string[] = []
    class Timing extends AgentMiddleware {
      async handle(_: AgentContext, next: Next): Promise<void> {
        log.push('Timing in')
        await next()
        log.push('Timing out')
      }
    }
    class Base extends FunctionMiddleware {
      readonly label: string
      constructor(label: string) {
        super()
        this.label = label
      }
      async handle(_: FunctionContext, next: Next): Promise<void> {
        log.push(`${this.label} in`)
        await next()
        log.push(`${this.label} out`)
      }
    }
    class Derived extends Base {
      override async handle(context: FunctionContext, next: Next): Promise<void> {
        log.push('Derived')
        await super.handle(context, next)
      }
    }
    const { agent } = setting([
      new Derived('one'),
      new Timing(),
      functionMiddleware(async (_, next) => {
        log.push('two in')
        await next()
        log.push('two out')
      }),
    ])
    await agent.run('go')
    expect(log).toEqual(['Timing in', 'Derived', 'one in', 'two in', 'two out', 'one out', 'Timing out'])
  })

  it('MAF 96: the kind comes from the helper or the class; in conflict, or without one, it is refused', () => {
    class Confused extends FunctionMiddleware {
      override readonly kind = 'chat' as never
      handle = passing
    }
    class Loose {
      readonly kind = 'chat'
      readonly name = 'loose'
      readonly guard = false
      readonly timeoutMs = null
      handle = passing
    }
    expect(refusal(new Confused())).toContain('extends function middleware says it is of kind "chat"')
    expect(refusal(new Loose())).toBe('taken')
    expect(() => chatMiddleware(functionMiddleware(passing) as never)).toThrow('a piece has one kind')
    expect(() => chatMiddleware(chatMiddleware(passing) as never)).toThrow('already made')
    expect(() => agentMiddleware(7 as never)).toThrow('takes a function (context, next); found number')
    expect(refusal(passing)).toContain('the function "passing". Write agentMiddleware(fn)')
    expect(refusal(() => undefined)).toContain('a function. Write agentMiddleware(fn)')
    expect(refusal([{ name: 'x', handle: passing }])).toContain('found no kind')
    expect(refusal([{ kind: 'tool', name: 'x', handle: passing }])).toContain('found "tool"')
    expect(refusal([{ kind: 'chat', name: 'x' }])).toContain('has no handle(context, next)')
    expect(refusal([{ kind: 'chat', handle: passing }])).toContain('needs a name')
    expect(refusal([{ kind: 'chat', name: ' ', handle: passing }])).toContain('needs a name')
    expect(refusal([{ ...functionMiddleware(passing), guard: 'yes' }])).toContain('guard must be true or false')
    for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])
      expect(refusal([{ ...functionMiddleware(passing), timeoutMs }])).toContain('timeoutMs must be a positive number')
    expect(refusal(Promise.resolve(functionMiddleware(passing)))).toContain('found no kind')
    expect(refusal([null])).toContain('found null')
    expect(refusal([[functionMiddleware(passing)]])).toContain('found no kind')
  })

  it('MAF 97: a text is not taken apart; null, nothing, one piece and a list are taken', async () => {
    expect(refusal('abc')).toContain('found string')
    for (const none of [null, undefined, []]) expect(refusal(none)).toBe('taken')
    let seen = 0
    const piece = functionMiddleware(async (_, next) => {
      seen++
      await next()
    })
    for (const given of [piece, [piece]]) await setting(given).agent.run('go')
    for (const given of [piece, [piece], null]) await setting([]).agent.run('go', { middleware: given as Middleware })
    expect(seen).toBe(4)
  })

  it('a piece is named by its option, its function or its class, and is taken as it is when it is given', async () => {
    function checkHours(_: FunctionContext, next: Next): Promise<void> {
      return next()
    }
    class Limits extends FunctionMiddleware {
      isStrict = true
      override get guard(): boolean {
        return this.isStrict
      }
      handle(): void {
        // Neither goes on nor gives a result.
      }
    }
    const limits = new Limits()
    expect(functionMiddleware(checkHours).name).toBe('checkHours')
    expect(functionMiddleware(checkHours, { name: 'hours' }).name).toBe('hours')
    expect(functionMiddleware(async (_, next) => next()).name).toBe('function middleware')
    expect(limits.name).toBe('Limits')
    const { agent, ran, store } = setting(limits)
    // A guard that is made none after the agent was made stays one.
    Object.assign(limits, { isStrict: false, handle: passing })
    const result = await agent.run('go')
    expect(ran).toEqual([])
    expect((await store.journal.calls(result.runId))[0]?.transitions.at(-2)).toMatchObject({
      state: 'Rejected',
      detail: { by: 'middleware:Limits' },
    })
  })

  it('a bundle is taken as a whole: a list of pieces with a name, none of them something else', () => {
    const pair = [chatMiddleware(passing), functionMiddleware(passing)]
    expect(refusal([middlewareBundle('pair', pair), agentMiddleware(passing)])).toBe('taken')
    expect(() => middlewareBundle('pair', [passing as never])).toThrow('Middleware must say what it wraps')
    expect(refusal([{ kind: 'bundle', name: 'x' }])).toContain('A bundle has a name and a list of parts')
    expect(refusal([{ kind: 'bundle', name: 'x', parts: [null] }])).toContain('found null')
    expect(refusal([{ kind: 'bundle', parts: pair }])).toContain('A bundle has a name')
  })
})

describe('middleware: what it may do', () => {
  it('MAF 98: without next nothing is carried out; the result is empty for every kind, and so is the stream', async () => {
    const agentOnly = setting(agentMiddleware(() => undefined))
    const updates: RunUpdate[] = []
    const stream = agentOnly.agent.stream('go')
    const { result } = stream
    for await (const update of stream) updates.push(update)
    expect(await result).toMatchObject({
      stopReason: 'terminated',
      text: '',
      error: 'Middleware "agent middleware" did not let the run through.',
    })
    expect(agentOnly.model.requests).toHaveLength(0)
    expect(updates.map(({ kind }) => kind)).toEqual(['run-started', 'run-stopped'])

    const chatOnly = setting(chatMiddleware(() => undefined))
    expect(await chatOnly.agent.run('go')).toMatchObject({ stopReason: 'answered', text: '' })
    expect(chatOnly.model.requests).toHaveLength(0)

    const functionOnly = setting(functionMiddleware(() => undefined))
    const run = await functionOnly.agent.run('go')
    expect(functionOnly.ran).toEqual([])
    expect(run.stopReason).toBe('answered')
    expect((await functionOnly.store.journal.calls(run.runId))[0]?.result).toMatchObject({ status: 'success' })
  })

  it('MAF 99: the result is seen, and set before or in the place of what next brought, for every kind', async () => {
    const seen: unknown[] = []
    const { agent, ran, model } = setting([
      agentMiddleware(async (context, next) => {
        await next()
        seen.push(context.result?.text)
        context.result = 'agent'
      }),
      chatMiddleware(async (context, next) => {
        await next()
        seen.push(context.result?.parts.at(-1)?.kind)
        if (context.turn === 2) context.result = { parts: [{ kind: 'text', text: 'chat' }], finishReason: 'stop' }
      }),
      functionMiddleware(async (context, next) => {
        await next()
        seen.push(context.result?.data)
        context.result = 'function'
      }),
    ])
    const result = await agent.run('go')
    expect(result.text).toBe('agent')
    expect(seen).toEqual(['function_call', 3, 'text', 'chat'])
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('"text":"function"')
    expect(ran).toEqual([3])

    const before = setting([
      functionMiddleware((context) => {
        context.result = { cached: true }
      }),
    ])
    const short = await before.agent.run('go')
    expect(before.ran).toEqual([])
    expect(JSON.stringify(short.messages)).toContain('"cached":true')
    const first = setting(
      chatMiddleware((context) => {
        context.result = { parts: [{ kind: 'text', text: 'from the cache' }], finishReason: 'stop' }
      }),
    )
    expect((await first.agent.run('go')).text).toBe('from the cache')
    expect(first.model.requests).toHaveLength(0)
  })

  it('MAF 100: the end of a run, before and after next, skips what is inside; siblings finish and all results stay', async () => {
    for (const kind of ['agent', 'chat', 'function'] as const) {
      for (const at of ['before', 'after'] as const) {
        let inside = 0
        const end = async (context: { terminate(): void }, next: Next): Promise<void> => {
          if (at === 'after') await next()
          context.terminate()
        }
        const count = async (_: unknown, next: Next): Promise<void> => {
          inside++
          await next()
        }
        const list = {
          agent: [agentMiddleware(end), agentMiddleware(count)],
          chat: [chatMiddleware(end), chatMiddleware(count)],
          function: [functionMiddleware(end), functionMiddleware(count)],
        }[kind]
        const turns = [
          {
            calls: [
              { name: 'add', arguments: { a: 1, b: 2 } },
              { name: 'add', arguments: { a: 3, b: 4 } },
            ],
          },
        ]
        const { agent, ran, model, store } = setting(list, {}, [...turns, 'done'])
        const result = await agent.run('go')
        expect(result.stopReason).toBe('terminated')
        expect({ kind, at, inside }).toEqual({ kind, at, inside: at === 'before' ? 0 : kind === 'function' ? 2 : 1 })
        expect(model.requests.length).toBe(kind === 'function' || at === 'after' ? (kind === 'agent' ? 2 : 1) : 0)
        expect(ran).toHaveLength(at === 'after' && kind !== 'chat' ? 2 : 0)
        for (const call of await store.journal.calls(result.runId)) expect(call.result).not.toBeNull()
      }
    }
  })

  it('MAF 101: middleware of a run is that run’s alone, inside the agent’s', async () => {
    const log: string[] = []
    const noting = (name: string) =>
      functionMiddleware(async (_, next) => {
        log.push(name)
        await next()
      })
    const turns = [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'done'] as const
    const { agent } = setting(noting('agent'), {}, [...turns, ...turns])
    await agent.run('go', { middleware: [noting('run')] })
    await agent.run('again')
    expect(log).toEqual(['agent', 'run', 'agent'])
  })

  it('MAF 102: other middleware for the next run is another agent or a run’s own list; a list changed later changes nothing', async () => {
    let seen = 0
    const list = [
      functionMiddleware(async (_, next) => {
        seen++
        await next()
      }),
    ]
    const turns = [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'done'] as const
    const { agent } = setting(list, {}, [...turns, ...turns])
    list.length = 0
    await agent.run('go')
    expect(seen).toBe(1)
    await agent.with({ middleware: [] }).run('again')
    expect(seen).toBe(1)
  })

  it('MAF 103: chat middleware changes messages, instructions and options, and sees each round', async () => {
    const turns: number[] = []
    const { agent, model, store } = setting(
      chatMiddleware(async (context, next) => {
        turns.push(context.turn)
        const [first, ...rest] = context.request.messages
        context.request = {
          ...context.request,
          instructions: `round ${context.turn}`,
          toolChoice: 'required',
          messages: [
            { role: 'user', parts: [{ kind: 'text', text: 'changed' }] },
            ...(first === undefined ? [] : rest),
          ],
        }
        await next()
      }),
    )
    const result = await agent.run('go')
    expect(turns).toEqual([1, 2])
    expect(model.requests.map(({ instructions, toolChoice }) => [instructions, toolChoice])).toEqual([
      ['round 1', 'required'],
      ['round 2', 'required'],
    ])
    for (const { messages } of model.requests) expect(JSON.stringify(messages[0])).toContain('changed')
    // What is stored is what was said.
    expect(JSON.stringify((await store.sessions.get(result.sessionId))?.messages)).not.toContain('changed')
  })

  it('MAF 104: hooks on the stream change, see and end it, in a stream and outside of one; too late is refused', async () => {
    for (const streaming of [false, true]) {
      const log: string[] = []
      const errors: unknown[] = []
      const { agent } = setting(
        [
          chatMiddleware(async (context, next) => {
            context.stream.map((piece) =>
              piece.kind === 'text-delta' ? { ...piece, text: piece.text.replaceAll('s', 'S') } : piece,
            )
            context.stream.tap((piece) => void log.push(piece.kind))
            context.stream.onEnd(() => void log.push(`end ${context.turn}`))
            await next()
            try {
              context.stream.tap(() => undefined)
            } catch (error) {
              errors.push(error)
            }
          }),
          agentMiddleware(async (context, next) => {
            context.stream.map((update) => (update.kind === 'message-added' ? undefined : update))
            context.stream.onEnd(() => void log.push('end of the run'))
            await next()
          }),
        ],
        {},
        ['sesame'],
      )
      const kinds: string[] = []
      if (streaming) {
        const stream = agent.stream('go')
        const { result } = stream
        for await (const update of stream) kinds.push(update.kind)
        expect((await result).text).toBe('SeSame')
        expect(kinds).not.toContain('message-added')
        expect(kinds).toContain('text-delta')
      } else expect((await agent.run('go')).text).toBe('SeSame')
      expect(log).toEqual(['text-delta', 'end 1', 'end of the run'])
      expect(errors).toMatchObject([{ code: 'MIDDLEWARE_MISUSE' }])
    }
  })

  it('hooks on the end of a turn hear of every end: a failing model, no question at all, a second question', async () => {
    for (const how of ['model fails', 'no question', 'two questions'] as const) {
      let ends = 0
      const { agent } = setting(
        chatMiddleware(async (context, next) => {
          context.stream.onEnd(() => void ends++)
          if (how === 'no question') return
          await next()
          if (how === 'two questions') await next()
        }),
        {},
        how === 'model fails' ? [{ error: new Error('down') }] : ['one', 'two'],
      )
      await agent.run('go')
      expect({ how, ends }).toEqual({ how, ends: 1 })
    }
  })

  it('MAF 105: state is shared by all middleware and calls of a run, empty at first, seen by no other; services are given', async () => {
    const seen: unknown[] = []
    const note = tool({
      name: 'note',
      description: 'Notes.',
      inputSchema: z.object({}),
      execute: (_, context) => void seen.push([context.state.get('user'), context.services]),
    })
    const services = { directory: 'here' }
    const { agent } = setting(
      [
        agentMiddleware(async (context, next) => {
          seen.push(context.state.size)
          context.state.set('user', 'ann')
          await next()
        }),
        functionMiddleware(async (context, next) => {
          seen.push([context.state.get('user'), context.services])
          context.state.set('user', 'bob')
          await next()
        }),
      ],
      { tools: [note], services },
      [{ calls: [{ name: 'note' }] }, 'done', 'done'],
    )
    await agent.run('go')
    await agent.run('again')
    expect(seen).toEqual([0, ['ann', services], ['bob', services], 0])
  })

  it('MAF 109: function middleware sees the call and its context, skips it, changes its result, hears a tool’s failure and of cancelling', async () => {
    const seen: Record<string, unknown> = {}
    const broken = tool({
      name: 'broken',
      description: 'Breaks.',
      inputSchema: z.object({ a: z.number() }),
      execute: () => {
        throw new Error('inside')
      },
    })
    const { agent } = setting(
      functionMiddleware(async (context, next) => {
        Object.assign(seen, {
          args: context.args,
          tool: context.tool.name,
          state: context.call.state,
          turn: context.call.turn,
          principal: context.principal,
          environment: context.environment,
          aborted: context.signal.aborted,
        })
        await next()
        Object.assign(seen, { status: context.result?.status, errorCode: context.result?.errorCode })
        context.result = 'mended'
      }),
      { tools: [broken], principal: { id: 'ann' }, environment: 'test' },
      [{ calls: [{ name: 'broken', arguments: { a: 1 } }] }, 'done'],
    )
    const result = await agent.run('go')
    expect(seen).toEqual({
      args: { a: 1 },
      tool: 'broken',
      state: 'PolicyChecked',
      turn: 1,
      principal: { id: 'ann' },
      environment: 'test',
      aborted: false,
      status: 'error',
      errorCode: 'INTERNAL',
    })
    expect(JSON.stringify(result.messages)).toContain('mended')
  })

  it('chat middleware cannot make the run do what policy does not allow: its calls go down the pipeline', async () => {
    const { agent, ran, store } = setting(
      chatMiddleware(async (context, next) => {
        await next()
        if (context.turn === 1) {
          context.result = {
            parts: [{ kind: 'function_call', callId: 'x', name: 'add', arguments: '{"a":1,"b":2}' }],
            finishReason: 'tool_calls',
          }
        }
      }),
      { policy: { decide: () => ({ effect: 'deny', rules: ['none'] }) } },
      ['go on', 'done'],
    )
    const result = await agent.run('go')
    expect(ran).toEqual([])
    expect((await store.journal.calls(result.runId))[0]?.result?.errorCode).toBe('PERMISSION_DENIED')
  })

  it.each([{ parts: 'x' }, { parts: [{ kind: 'text' }], finishReason: 'stop' }])(
    'an answer of chat middleware that is none (%o) fails the turn',
    async (answer) => {
      const { agent } = setting(
        chatMiddleware((context: ChatContext) => {
          context.result = answer as never
        }),
      )
      expect((await agent.run('go')).stopReason).toBe('model_error')
    },
  )

  it('class chat middleware works like a function', async () => {
    class Loud extends ChatMiddleware {
      async handle(context: ChatContext, next: Next): Promise<void> {
        await next()
        const { result } = context
        if (result !== undefined) context.result = { ...result, parts: [{ kind: 'text', text: 'LOUD' }] }
      }
    }
    expect((await setting(new Loud(), {}, ['quiet']).agent.run('go')).text).toBe('LOUD')
  })
})
