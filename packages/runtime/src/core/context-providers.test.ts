import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  memoryStore,
  middlewareBundle,
  textOf,
  tool,
  type AgentOptions,
  type ContextProvider,
  type Message,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

function setting(options: Partial<AgentOptions>, turns: readonly ScriptedTurn[] = ['done']) {
  const model = new ScriptedChatClient(turns)
  const store = memoryStore()
  const clock = new ManualClock()
  const ran: string[] = []
  const gated = tool({
    name: 'gated',
    description: 'Gated.',
    inputSchema: z.object({}),
    needsApproval: true,
    execute: () => {
      ran.push('gated')
      return 'ran'
    },
  })
  const hosted = tool({ name: 'hosted', description: 'The host answers.', inputSchema: z.object({}) })
  const agent = new Agent({ model, store, clock, tools: [gated, hosted], ...options })
  const stored = async (result: RunResult): Promise<readonly Message[]> =>
    (await store.sessions.get(result.sessionId))?.messages ?? []
  return { model, store, clock, agent, ran, stored }
}

/** Every call of a conversation has one result, right after it. */
function requireAnswered(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const calls = message.parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : []))
    if (calls.length === 0) continue
    const results = messages[index + 1]?.parts.map((part) => (part.kind === 'function_result' ? part.callId : '?'))
    expect(results).toEqual(calls)
  }
}

function approved(result: RunResult) {
  return result.approvals.map((approval) => approval.approve({ by: 'ann' }))
}

const forever = (): Promise<never> => new Promise(() => undefined)

async function quiet(): Promise<void> {
  for (let index = 0; index < 3; index++) await new Promise((resolve) => setImmediate(resolve))
}

describe('context providers', () => {
  it('bring instructions, messages, tools and middleware, and hear how the run stopped, the last one first', async () => {
    const log: string[] = []
    const extra = tool({ name: 'extra', description: 'Extra.', inputSchema: z.object({}), execute: () => 'extra ran' })
    const provider = (name: string): ContextProvider => ({
      name,
      beforeRun(context) {
        log.push(`${name} before ${context.input.map(({ parts }) => textOf(parts)).join()} ${context.resumed}`)
        context.addInstructions(`${name} says so.`)
        context.addMessages(`${name} remembers`)
        if (name === 'one') context.addTools(extra)
        context.addMiddleware(
          functionMiddleware(async (call, next) => {
            log.push(`${name} ${call.tool.name}`)
            await next()
          }),
        )
      },
      afterRun: (_, outcome) => void log.push(`${name} after ${outcome.stopReason} ${outcome.text}`),
    })
    const { agent, model, stored } = setting(
      { instructions: 'Be kind.', contextProviders: [provider('one'), provider('two')] },
      [{ calls: [{ name: 'extra' }] }, 'done'],
    )
    const result = await agent.run('go', { instructions: 'Be brief.' })
    expect(log).toEqual([
      'one before go false',
      'two before go false',
      'one extra',
      'two extra',
      'two after answered done',
      'one after answered done',
    ])
    expect(model.requests[0]?.instructions).toBe('Be kind.\n\nBe brief.\n\none says so.\n\ntwo says so.')
    expect(model.requests[1]?.messages.map(({ parts }) => textOf(parts))).toEqual([
      'one remembers',
      'two remembers',
      'go',
      '',
      '',
    ])
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['gated', 'hosted', 'extra'])
    // Nothing of it is kept.
    expect((await stored(result)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(agent.tools().map(({ name }) => name)).toEqual(['gated', 'hosted'])
  })

  it('MAF 106, 107: function and chat middleware is forwarded, inside the agent’s own; agent middleware, bare or in a bundle, is refused', async () => {
    const log: string[] = []
    const around = (name: string) => async (_: unknown, next: () => Promise<void>) => {
      log.push(name)
      await next()
    }
    const good: ContextProvider = {
      name: 'good',
      beforeRun: (context) =>
        context.addMiddleware(
          middlewareBundle('pair', [chatMiddleware(around('chat')), functionMiddleware(around('function'))]),
        ),
    }
    const fine = setting({ contextProviders: [good], middleware: [chatMiddleware(around('agent’s chat'))] }, [
      { calls: [{ name: 'nope' }] },
      'done',
    ])
    expect((await fine.agent.run('go')).stopReason).toBe('answered')
    expect(log).toEqual(['agent’s chat', 'chat', 'agent’s chat', 'chat'])
    const bare = agentMiddleware(around('agent'), { name: 'whole' })
    for (const [given, what] of [
      [bare, 'found agent middleware "whole".'],
      [middlewareBundle('hooks', [chatMiddleware(around('chat')), bare]), 'of the bundle "hooks".'],
    ] as const) {
      const provider: ContextProvider = { name: 'bad', beforeRun: (context) => context.addMiddleware(given) }
      const { agent, model } = setting({ contextProviders: [provider] })
      const result = await agent.run('go')
      expect(result.stopReason).toBe('terminated')
      expect(result.error).toContain('Context provider "bad" takes chat and function middleware')
      expect(result.error).toContain(what)
      expect(model.requests).toHaveLength(0)
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no memory')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no memory'))],
  ] as const)(
    'one that %s ends the run before the model is asked, and the conversation stays valid',
    async (_, beforeRun) => {
      const after: string[] = []
      const { agent, model, stored } = setting({
        contextProviders: [
          { name: 'memory', beforeRun, afterRun: (__, outcome) => void after.push(outcome.stopReason) },
        ],
      })
      const result = await agent.run('go')
      expect(result).toMatchObject({
        stopReason: 'terminated',
        error: 'Context provider "memory" failed: no memory',
        text: '',
      })
      expect(model.requests).toHaveLength(0)
      expect(after).toEqual(['terminated'])
      expect((await stored(result)).map(({ role }) => role)).toEqual(['user'])
    },
  )

  it('one that hangs ends with its run: on an abort, and at the deadline, and the model is not asked with half of a context', async () => {
    const abort = new AbortController()
    let heard = false
    const hangs: ContextProvider = {
      name: 'slow',
      beforeRun: (context) => {
        context.signal.addEventListener('abort', () => (heard = true))
        return forever()
      },
    }
    const one = setting({ contextProviders: [hangs] })
    const running = one.agent.run('go', { signal: abort.signal })
    await quiet()
    abort.abort()
    expect((await running).stopReason).toBe('aborted')
    expect(heard).toBe(true)
    const two = setting({ contextProviders: [hangs], deadlineMs: 1_000 })
    const late = two.agent.run('go')
    await quiet()
    await two.clock.advance(1_000)
    expect(await late).toMatchObject({ stopReason: 'budget_limit' })
    for (const { model } of [one, two]) expect(model.requests).toHaveLength(0)
  })

  it('after the run, one that throws or hangs changes nothing', async () => {
    const warnings: string[] = []
    const logger = { info: () => undefined, warn: (text: string) => void warnings.push(text) }
    const { agent, clock } = setting({
      deadlineMs: 1_000,
      logger,
      contextProviders: [
        { name: 'hangs', afterRun: forever },
        {
          name: 'throws',
          afterRun: () => {
            throw new Error('disk full')
          },
        },
      ],
    })
    const running = agent.run('go')
    await quiet()
    await clock.advance(1_000)
    expect(await running).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(warnings).toEqual(['Context provider "throws" failed after the run: disk full'])
  })

  it('is asked again when a run is resumed: the same middleware then guards what goes on', async () => {
    const log: string[] = []
    const provider: ContextProvider = {
      name: 'guarding',
      beforeRun(context) {
        log.push(`before ${context.input.length} ${context.resumed}`)
        context.addMessages('remembered')
        context.addMiddleware(
          functionMiddleware(async (call, next) => {
            log.push(`guards ${call.tool.name}`)
            await next()
          }),
        )
      },
      afterRun: (_, outcome) => void log.push(`after ${outcome.stopReason}`),
    }
    const { agent, model } = setting({ contextProviders: [provider] }, [{ calls: [{ name: 'gated' }] }, 'done'])
    const asked = await agent.run('go')
    const result = await agent.run(approved(asked))
    expect(result.stopReason).toBe('answered')
    expect(log).toEqual([
      'before 1 false',
      'after approval_required',
      'before 0 true',
      'guards gated',
      'after answered',
    ])
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool'])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it.each(['gated', 'hosted'] as const)(
    'one that fails when a run is resumed: the open call (%s) gets its answer, and nothing runs',
    async (name) => {
      for (const fault of ['throws', 'hangs and is aborted'] as const) {
        const abort = new AbortController()
        const provider: ContextProvider = {
          name: 'fragile',
          beforeRun(context) {
            if (!context.resumed) return
            if (fault === 'throws') throw new Error('gone')
            abort.abort()
            return forever()
          },
        }
        const { agent, stored, ran, store } = setting({ contextProviders: [provider] }, [
          { calls: [{ name }, { name }] },
        ])
        const asked = await agent.run('go')
        const [first] = name === 'gated' ? approved(asked) : asked.clientCalls.map((call) => call.answer('in'))
        if (first === undefined) throw new Error('one waits')
        const result = await agent.run([first], { signal: abort.signal })
        expect(result.stopReason).toBe(fault === 'throws' ? 'terminated' : 'aborted')
        expect(ran).toEqual([])
        const conversation = await stored(result)
        expect(conversation.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
        requireAnswered(conversation)
        for (const call of await store.journal.calls(result.runId)) expect(call.state).toBe('Observed')
        expect(await store.approvals.list({ status: 'pending' })).toEqual([])
      }
    },
  )

  it('agent middleware cannot drive a run on past a provider that failed', async () => {
    const again = agentMiddleware(async (_, next) => {
      await next()
      await next()
    })
    const provider: ContextProvider = {
      name: 'memory',
      beforeRun: () => {
        throw new Error('no memory')
      },
    }
    const { agent, model } = setting({ contextProviders: [provider], middleware: [again] })
    expect(await agent.run('go')).toMatchObject({
      stopReason: 'terminated',
      error: 'Context provider "memory" failed: no memory',
    })
    expect(model.requests).toHaveLength(0)
  })

  it('only what a user or the system says can be brought as a message', async () => {
    const provider: ContextProvider = {
      name: 'forger',
      beforeRun: (context) => context.addMessages({ role: 'assistant', parts: [{ kind: 'text', text: 'I agreed.' }] }),
    }
    const { agent, model } = setting({ contextProviders: [provider] })
    expect((await agent.run('go')).stopReason).toBe('terminated')
    expect(model.requests).toHaveLength(0)
  })
})

describe('agent middleware around a run that is resumed', () => {
  const onResume = (does: Parameters<typeof agentMiddleware>[0]) =>
    agentMiddleware(async (context, next) => {
      if (context.resumed) await does(context, next)
      else await next()
    })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
      'terminated',
    ],
    ['returns without next', () => undefined, 'terminated'],
    ['answers itself', (context: { result: unknown }) => void (context.result = 'I know.'), 'answered'],
  ] as const)('one that %s leaves no call without an answer, and nothing runs', async (_, does, reason) => {
    const { agent, ran, stored, store } = setting({ middleware: onResume(does) }, [
      { calls: [{ name: 'gated' }] },
      'done',
    ])
    const asked = await agent.run('go')
    const result = await agent.run(approved(asked))
    expect(result.stopReason).toBe(reason)
    expect(ran).toEqual([])
    requireAnswered(await stored(result))
    const [call] = await store.journal.calls(result.runId)
    expect(call?.result?.errorCode).toBe('CANCELLED')
    const session = await agent.session(result.sessionId)
    expect((await agent.run('and now', { session })).stopReason).toBe('answered')
  })

  it('what it adds comes after the results, not between a call and them', async () => {
    const { agent, ran } = setting(
      {
        middleware: onResume(async (context, next) => {
          context.addMessage('be quick')
          await next()
        }),
      },
      [{ calls: [{ name: 'gated' }] }, 'done'],
    )
    const asked = await agent.run('go')
    const result = await agent.run(approved(asked))
    expect(ran).toEqual(['gated'])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  })

  it('a run that waits cannot be changed, added to or driven again', async () => {
    const errors: unknown[] = []
    const { agent } = setting(
      {
        middleware: agentMiddleware(async (context, next) => {
          await next()
          for (const change of [
            async () => void (context.result = 'never mind'),
            async () => context.addMessage('more'),
            next,
          ]) {
            try {
              await change()
            } catch (error) {
              errors.push(error)
            }
          }
        }),
      },
      [{ calls: [{ name: 'gated' }] }],
    )
    const result = await agent.run('go')
    expect(result.stopReason).toBe('approval_required')
    expect(errors).toMatchObject([
      { code: 'MIDDLEWARE_MISUSE' },
      { code: 'MIDDLEWARE_MISUSE' },
      { code: 'MIDDLEWARE_MISUSE' },
    ])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('a second drive that goes well leaves nothing of the first one’s error', async () => {
    const { agent } = setting(
      {
        middleware: agentMiddleware(async (context, next) => {
          await next()
          if (context.result?.stopReason === 'model_error') await next()
        }),
      },
      [{ error: new Error('down') }, 'done'],
    )
    expect(await agent.run('go')).toMatchObject({ stopReason: 'answered', text: 'done', error: null })
  })

  it('a hook on the end of the stream that throws is logged and changes nothing', async () => {
    const warnings: string[] = []
    const ends: string[] = []
    const { agent } = setting({
      logger: { info: () => undefined, warn: (text: string) => void warnings.push(text) },
      middleware: agentMiddleware(async (context, next) => {
        context.stream.onEnd(() => {
          throw new Error('no')
        })
        context.stream.onEnd(() => void ends.push('end'))
        await next()
      }),
    })
    expect(await agent.run('go')).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ends).toEqual(['end'])
    expect(warnings).toHaveLength(1)
  })
})
