import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  GuardFailure,
  memoryStore,
  tool,
  ToolError,
  type AgentOptions,
  type CallRecord,
  type FunctionContext,
  type Json,
  type Middleware,
  type Next,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

/** What guards throw: it must never reach the model. */
const secret = 'the-guard-said-this /root/secret'

function setting(middleware: Middleware | readonly Middleware[], options: Partial<AgentOptions> = {}) {
  const ran: Json[] = []
  const clock = new ManualClock()
  const store = memoryStore()
  const model = new ScriptedChatClient([
    { calls: [{ name: 'write', arguments: { n: 1 } }] },
    'done',
    'done again',
    'and again',
  ] satisfies ScriptedTurn[])
  const write = tool({
    name: 'write',
    description: 'Writes.',
    inputSchema: z.object({ n: z.number() }),
    effects: 'write',
    execute: (args) => {
      ran.push(args)
      return { private: 'value-of-the-tool' }
    },
  })
  const agent = new Agent({ model, tools: [write], middleware, store, clock, ...options })
  const callOf = async (result: RunResult): Promise<CallRecord> => {
    const [call] = await store.journal.calls(result.runId)
    if (call === undefined) throw new Error('no call')
    return call
  }
  /** What the model was shown, over all its turns, and what is stored. */
  const shown = async (result: RunResult): Promise<string> =>
    JSON.stringify([model.requests.map(({ messages }) => messages), await store.sessions.get(result.sessionId)])
  return { ran, clock, store, model, agent, callOf, shown }
}

/** Lets whatever can go on go on. */
async function quiet(): Promise<void> {
  for (let index = 0; index < 3; index++) await new Promise((resolve) => setImmediate(resolve))
}

async function passing(this: void, _: unknown, next: Next): Promise<void> {
  await next()
}

const catchesAll = functionMiddleware(
  async (context, next) => {
    try {
      await next()
    } catch {
      // Whatever it was: it says all is well.
    }
    try {
      context.result = 'all is well'
    } catch {
      // Too late.
    }
  },
  { name: 'catches all' },
)

const forever = (): Promise<never> => new Promise(() => undefined)

type Handle = (context: FunctionContext, next: Next) => void | Promise<void>

/** Ways a guard fails before the execution. */
const failsBefore: readonly (readonly [string, Handle])[] = [
  [
    'throws',
    () => {
      throw new Error(secret)
    },
  ],
  ['rejects', () => Promise.reject(new Error(secret))],
  [
    'throws what is no error',
    () => {
      // oxlint-disable-next-line no-throw-literal -- guards written in JavaScript do this
      throw secret
    },
  ],
  [
    'throws nothing at all',
    () => {
      // oxlint-disable-next-line no-throw-literal -- guards written in JavaScript do this
      throw undefined
    },
  ],
  ['returns nothing', () => undefined],
  ['hangs', forever],
  [
    'sets a result and throws',
    (context) => {
      context.result = 'fine'
      throw new Error(secret)
    },
  ],
  [
    'sets a result nothing can carry',
    (context) => {
      const loop: Record<string, unknown> = {}
      loop['self'] = loop
      context.result = loop
    },
  ],
]

/** Ways a guard fails after the execution. */
const failsAfter: readonly (readonly [string, Handle])[] = [
  [
    'throws',
    async (_, next) => {
      await next()
      throw new Error(secret)
    },
  ],
  [
    'throws what is no error',
    async (_, next) => {
      await next()
      // oxlint-disable-next-line no-throw-literal -- guards written in JavaScript do this
      throw secret
    },
  ],
  [
    'hangs',
    async (_, next) => {
      await next()
      await forever()
    },
  ],
  [
    'calls next twice',
    async (_, next) => {
      await next()
      await next()
    },
  ],
  [
    'calls next twice at once',
    async (_, next) => {
      await Promise.all([next(), next()])
    },
  ],
  [
    'sets a result and throws',
    async (context, next) => {
      await next()
      context.result = 'fine'
      throw new Error(secret)
    },
  ],
  [
    'throws while it does not wait for next',
    (_, next) => {
      void next()
      throw new Error(secret)
    },
  ],
]

const places = [
  ['alone', (guard: Middleware): readonly Middleware[] => [guard]],
  ['inside one that catches everything', (guard: Middleware): readonly Middleware[] => [catchesAll, guard]],
  ['around one that catches everything', (guard: Middleware): readonly Middleware[] => [guard, catchesAll]],
] as const

/** Runs to the end; a guard that hangs gets its time. */
async function runWithTime(agent: Agent, clock: ManualClock): Promise<RunResult> {
  const running = agent.run('go')
  let over = false
  void running.then(
    () => (over = true),
    () => (over = true),
  )
  for (let index = 0; index < 20 && !over; index++) {
    await quiet()
    if (!over && clock.sleeping > 0) await clock.advance(60)
  }
  return running
}

describe('function guards fail closed', () => {
  describe.each(places)('%s', (_, around) => {
    it.each(failsBefore)('before the execution: one that %s stops the call', async (how, handle) => {
      const guard = functionMiddleware(handle, { name: 'guard', guard: true, timeoutMs: 50 })
      const { agent, clock, ran, callOf, shown, model } = setting(around(guard))
      const result = await runWithTime(agent, clock)
      // A piece inside the guard is not reached, whatever it does.
      expect({ how, ran }).toEqual({ how, ran: [] })
      const call = await callOf(result)
      expect(call.transitions.map(({ state }) => state)).toEqual([
        'Requested',
        'Validated',
        'PolicyChecked',
        'Rejected',
        'Observed',
      ])
      expect(call.result).toMatchObject({ status: 'error', errorCode: 'POLICY_ERROR' })
      expect(call.transitions[3]?.detail).toMatchObject({ by: 'middleware:guard' })
      // The model hears of it once and goes on.
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      expect(model.requests).toHaveLength(2)
      expect(await shown(result)).not.toContain('guard')
      expect(await shown(result)).not.toContain('all is well')
    })

    it.each(failsAfter)(
      'after the execution: one that %s withholds the result and ends the run',
      async (how, handle) => {
        const guard = functionMiddleware(handle, { name: 'guard', guard: true, timeoutMs: 50 })
        const { agent, clock, ran, callOf, shown, model } = setting(around(guard))
        const result = await runWithTime(agent, clock)
        expect({ how, ran }).toEqual({ how, ran: [{ n: 1 }] })
        const call = await callOf(result)
        expect(call.transitions.map(({ state }) => state)).toEqual([
          'Requested',
          'Validated',
          'PolicyChecked',
          'Executing',
          'Succeeded',
          'Observed',
        ])
        expect(call.result).toMatchObject({ status: 'error', errorCode: 'RESULT_WITHHELD' })
        expect(result).toMatchObject({ stopReason: 'terminated', error: 'Ended by middleware "guard".' })
        expect(model.requests).toHaveLength(1)
        const text = await shown(result)
        for (const word of ['the-guard-said', '/root/secret', 'all is well', 'value-of-the-tool', 'fine'])
          expect(text).not.toContain(word)
        expect(result.messages.at(-1)).toMatchObject({ role: 'tool', parts: [{ errorCode: 'RESULT_WITHHELD' }] })
      },
    )
  })

  it('GuardFailure from a piece that is no guard fails like a guard, before and after', async () => {
    const before = setting(
      functionMiddleware(() => {
        throw new GuardFailure(secret)
      }),
    )
    const refused = await before.agent.run('go')
    expect(before.ran).toEqual([])
    expect((await before.callOf(refused)).result?.errorCode).toBe('POLICY_ERROR')
    const after = setting(
      functionMiddleware(async (_, next) => {
        await next()
        throw new GuardFailure(secret)
      }),
    )
    const ended = await after.agent.run('go')
    expect(ended.stopReason).toBe('terminated')
    expect((await after.callOf(ended)).result?.errorCode).toBe('RESULT_WITHHELD')
    expect(await after.shown(ended)).not.toContain('the-guard-said')
  })

  it('a piece that is no guard and fails before the execution: the call is refused, the run goes on', async () => {
    const { agent, ran, callOf, shown } = setting(
      functionMiddleware(
        () => {
          throw new Error(secret)
        },
        { name: 'broken' },
      ),
    )
    const result = await agent.run('go')
    expect(ran).toEqual([])
    const call = await callOf(result)
    expect(call.transitions.at(-2)).toMatchObject({ state: 'Rejected', detail: { by: 'middleware:broken' } })
    expect(call.result?.errorCode).toBe('INTERNAL')
    expect(result.stopReason).toBe('answered')
    expect(await shown(result)).not.toContain('the-guard-said')
  })

  it('a piece that is no guard and fails after the execution: its result is withheld, the run goes on', async () => {
    const { agent, ran, callOf, shown } = setting(
      functionMiddleware(async (_, next) => {
        await next()
        throw new Error(secret)
      }),
    )
    const result = await agent.run('go')
    expect(ran).toHaveLength(1)
    const call = await callOf(result)
    expect(call.transitions.at(-2)?.state).toBe('Succeeded')
    expect(call.result?.errorCode).toBe('RESULT_WITHHELD')
    expect(result.stopReason).toBe('answered')
    expect(await shown(result)).not.toContain('value-of-the-tool')
    expect(await shown(result)).not.toContain('the-guard-said')
  })

  it('a guard that swallows CALL_STOPPED changes nothing: the call still waits for its person', async () => {
    const swallows = functionMiddleware(
      async (context, next) => {
        try {
          await next()
        } catch {
          context.result = 'never mind'
        }
      },
      { name: 'guard', guard: true },
    )
    const asks = functionMiddleware(async (context, next) => {
      try {
        context.requireApproval({ reason: 'because' })
      } catch {
        // Goes on as if nothing was.
      }
      await next()
    })
    const { agent, ran, callOf } = setting([swallows, asks])
    const result = await agent.run('go')
    expect(result.stopReason).toBe('approval_required')
    expect(ran).toEqual([])
    const call = await callOf(result)
    expect(call.state).toBe('NeedsApproval')
    expect(call.result).toBeNull()
  })

  it('a guard on an aborted run that has not seen the result to its end: the result is not shown', async () => {
    const abort = new AbortController()
    const guard = functionMiddleware(
      async (_, next) => {
        await next()
        abort.abort()
        await forever()
      },
      { name: 'guard', guard: true },
    )
    const { agent, ran, callOf, shown } = setting(guard)
    const result = await agent.run('go', { signal: abort.signal })
    expect(result.stopReason).toBe('aborted')
    expect(ran).toHaveLength(1)
    expect((await callOf(result)).result?.errorCode).toBe('RESULT_WITHHELD')
    expect(await shown(result)).not.toContain('value-of-the-tool')
  })

  it('a guard that hangs before the execution of an aborted run: the call is cancelled', async () => {
    const abort = new AbortController()
    const guard = functionMiddleware(
      async () => {
        abort.abort()
        await forever()
      },
      { name: 'guard', guard: true },
    )
    const { agent, ran, callOf } = setting(guard)
    const result = await agent.run('go', { signal: abort.signal })
    expect(result.stopReason).toBe('aborted')
    expect(ran).toEqual([])
    const call = await callOf(result)
    expect(call.transitions.at(-2)?.state).toBe('Cancelled')
    expect(call.result?.errorCode).toBe('CANCELLED')
  })

  it.each(['before', 'after'] as const)(
    'no middleware outlasts the deadline of its run: one that hangs %s',
    async (at) => {
      const hangs = functionMiddleware(async (_, next) => {
        if (at === 'after') await next()
        await forever()
      })
      const { agent, clock, ran, callOf } = setting(hangs, { deadlineMs: 200 })
      const result = await runWithTime(agent, clock)
      expect(result.stopReason).toBe('budget_limit')
      const call = await callOf(result)
      expect(ran).toHaveLength(at === 'after' ? 1 : 0)
      expect(call.state).toBe('Observed')
      expect(call.transitions.at(-2)?.state).toBe(at === 'after' ? 'Succeeded' : 'Cancelled')
    },
  )

  it('a call in doubt stays in doubt for the model, whatever middleware makes of its result', async () => {
    for (const guard of [false, true]) {
      const abort = new AbortController()
      const model = new ScriptedChatClient([{ calls: [{ name: 'slow_write' }] }, 'done'])
      const slow = tool({
        name: 'slow_write',
        description: 'Writes and hangs.',
        inputSchema: z.object({}),
        effects: 'write',
        execute: () => {
          abort.abort()
          return forever()
        },
      })
      const store = memoryStore()
      const changes = functionMiddleware(
        async (context, next) => {
          await next()
          context.result = 'it worked'
          if (guard) throw new Error(secret)
        },
        { name: 'changes', guard },
      )
      const result = await new Agent({ model, tools: [slow], store, middleware: changes }).run('go', {
        signal: abort.signal,
      })
      const [call] = await store.journal.calls(result.runId)
      expect(call?.state).toBe('Unknown')
      expect(call?.result?.errorCode).toBe('IN_DOUBT')
    }
  })

  it('what a guard saw cannot be changed in place, and the evidence keeps what the tool gave', async () => {
    const seen: unknown[] = []
    const { agent, callOf, store } = setting(
      functionMiddleware(async (context, next) => {
        await next()
        const data = context.result?.data as { private: string }
        try {
          data.private = 'changed'
        } catch (error) {
          seen.push(error)
        }
        try {
          const { items } = context.result ?? { items: [] }
          ;(items as unknown[]).length = 0
        } catch (error) {
          seen.push(error)
        }
      }),
    )
    const result = await agent.run('go')
    expect(seen).toHaveLength(2)
    const uri = (await callOf(result)).result?.evidenceUri ?? ''
    expect((await store.evidence.get(uri))?.value).toEqual({ private: 'value-of-the-tool' })
  })

  it('a piece that has ended changes nothing any more: the outer one has the last word', async () => {
    let late: () => void = () => undefined
    const outer = functionMiddleware(async (context, next) => {
      await next()
      context.result = 'redacted'
      late()
      await Promise.resolve()
    })
    const inner = functionMiddleware(async (context, next) => {
      await next()
      late = () => {
        context.result = 'raw'
      }
    })
    const { agent, callOf } = setting([outer, inner])
    expect((await callOf(await agent.run('go'))).result?.answer.content).toEqual([{ kind: 'text', text: 'redacted' }])
  })

  it('a second next that nobody waits for is no unheard rejection', async () => {
    const unheard: unknown[] = []
    const hear = (reason: unknown): void => void unheard.push(reason)
    process.on('unhandledRejection', hear)
    try {
      const { agent, ran } = setting([
        functionMiddleware((_, next) => {
          void next()
          void next()
        }),
      ])
      expect((await agent.run('go')).stopReason).toBe('answered')
      expect(ran).toHaveLength(1)
      await quiet()
      expect(unheard).toEqual([])
    } finally {
      process.off('unhandledRejection', hear)
    }
  })

  it('a guard that gives back a thenable which throws fails closed', async () => {
    const hostile = functionMiddleware(
      (_, next) => {
        void next()
        const thenable = {}
        Reflect.set(thenable, 'then', () => {
          throw new Error(secret)
        })
        return thenable as unknown as Promise<void>
      },
      { name: 'guard', guard: true },
    )
    const { agent, callOf, shown } = setting(hostile)
    const result = await agent.run('go')
    expect(result.stopReason).toBe('terminated')
    expect((await callOf(result)).result?.errorCode).toBe('RESULT_WITHHELD')
    expect(await shown(result)).not.toContain('the-guard-said')
  })

  it('a tool that fails is a result for the guard, and next does not throw', async () => {
    const seen: unknown[] = []
    const failing = tool({
      name: 'write',
      description: 'Fails.',
      inputSchema: z.object({ n: z.number() }),
      execute: () => {
        throw new ToolError('QUOTA_SPENT', 'The quota of today is spent.')
      },
    })
    const { agent } = setting(
      functionMiddleware(async (context, next) => {
        await next()
        seen.push(context.result?.status, context.result?.errorCode)
      }),
      { tools: [failing] },
    )
    expect((await agent.run('go')).stopReason).toBe('answered')
    expect(seen).toEqual(['error', 'QUOTA_SPENT'])
  })

  it('a host call whose guard fails after the execution ends as terminated', async () => {
    const { agent } = setting(
      functionMiddleware(
        async (_, next) => {
          await next()
          throw new Error(secret)
        },
        { name: 'guard', guard: true },
      ),
    )
    const result = await agent.call('write', { n: 2 }).result
    expect(result).toMatchObject({ stopReason: 'terminated', error: 'Ended by middleware "guard".' })
  })

  it('a guard that fails ends the run even where a sibling waits for a person or for the host', async () => {
    for (const name of ['gated', 'hosted']) {
      const model = new ScriptedChatClient([
        { calls: [{ name: 'write', arguments: { n: 1 } }, { name }] },
        'done',
        'done',
      ])
      const clock = new ManualClock()
      const input = z.object({})
      const gated = tool({ name: 'gated', description: 'Gated.', inputSchema: input, execute: () => 'ran' })
      const hosted = tool({ name: 'hosted', description: 'Hosted.', inputSchema: input })
      const slowlyAsks = functionMiddleware(async (context, next) => {
        if (context.tool.name === 'gated') {
          await clock.sleep(500)
          context.requireApproval({ reason: 'because' })
        }
        await next()
      })
      const guard = functionMiddleware(
        async (context, next) => {
          await next()
          if (context.tool.name === 'write') throw new Error(secret)
        },
        { name: 'guard', guard: true, timeoutMs: 10_000 },
      )
      const { agent, store, ran } = setting([guard, slowlyAsks], { model, clock })
      const write = tool({
        name: 'write',
        description: 'Writes.',
        inputSchema: z.object({ n: z.number() }),
        execute: (args) => void ran.push(args),
      })
      const result = await runWithTime(agent.with({ tools: [write, gated, hosted] }), clock)
      expect(result.stopReason).toBe('terminated')
      const calls = await store.journal.calls(result.runId)
      expect(calls.map(({ state, result: answer }) => [state, answer?.errorCode])).toEqual([
        ['Observed', 'RESULT_WITHHELD'],
        ['Observed', 'CANCELLED'],
      ])
      expect(await store.approvals.list({ runId: result.runId, status: 'pending' })).toEqual([])
      expect(result.messages.at(-1)?.parts).toHaveLength(2)
    }
  })
})

describe('chat guards fail closed', () => {
  const around = [
    ['alone', (guard: Middleware): readonly Middleware[] => [guard]],
    [
      'inside one that catches everything and answers itself',
      (guard: Middleware): readonly Middleware[] => [
        chatMiddleware(async (context, next) => {
          await next().catch(() => undefined)
          context.result = { parts: [{ kind: 'text', text: 'all is well' }], finishReason: 'stop' }
        }),
        guard,
      ],
    ],
    [
      'inside one that asks again',
      (guard: Middleware): readonly Middleware[] => [
        chatMiddleware(async (_, next) => {
          await next().catch(() => next())
        }),
        guard,
      ],
    ],
  ] as const

  describe.each(around)('%s', (_, place) => {
    it.each(['throws before', 'hangs before', 'returns nothing', 'throws after', 'hangs after'] as const)(
      'one that %s ends the run, and nothing of the turn is used',
      async (how) => {
        const guard = chatMiddleware(
          async (_context, next) => {
            if (how === 'returns nothing') return
            if (how === 'hangs before') await forever()
            if (how === 'throws before') throw new Error(secret)
            await next()
            if (how === 'hangs after') await forever()
            throw new Error(secret)
          },
          { name: 'guard', guard: true, timeoutMs: 50 },
        )
        const { agent, clock, ran, model, store, shown } = setting(place(guard))
        const result = await runWithTime(agent, clock)
        expect(result.stopReason).toBe('terminated')
        expect(result.error).toContain('Guard "guard" stopped the model\'s turn')
        expect(ran).toEqual([])
        expect(await store.journal.calls(result.runId)).toEqual([])
        expect(model.requests).toHaveLength(how.endsWith('after') ? 1 : 0)
        expect(result.messages.map(({ role }) => role)).toEqual(['user'])
        expect(await shown(result)).not.toContain('the-guard-said')
      },
    )
  })

  it('the model failing is the model failing, with a guard around it too', async () => {
    const { agent } = setting(chatMiddleware(passing, { name: 'guard', guard: true }), {
      model: new ScriptedChatClient([{ error: new Error('down') }]),
    })
    expect((await agent.run('go')).stopReason).toBe('model_error')
  })

  it('agent middleware cannot drive on a run whose turn a guard has stopped', async () => {
    let asked = 0
    const guard = chatMiddleware(
      () => {
        asked++
        throw new Error(secret)
      },
      { name: 'guard', guard: true },
    )
    const again = agentMiddleware(async (_, next) => {
      await next()
      await next()
    })
    const { agent, model } = setting([again, guard])
    const result = await agent.run('go')
    expect(result.stopReason).toBe('terminated')
    expect(asked).toBe(1)
    expect(model.requests).toHaveLength(0)
  })

  it('chat middleware that hangs does not outlast the deadline, and asks nothing afterwards', async () => {
    let goOn: () => void = () => undefined
    const hangs = chatMiddleware(async (_, next) => {
      await new Promise<void>((resolve) => (goOn = resolve))
      await next()
    })
    const { agent, clock, model } = setting(hangs, { deadlineMs: 100 })
    const result = await runWithTime(agent, clock)
    expect(result.stopReason).toBe('budget_limit')
    const asked = model.requests.length
    goOn()
    await quiet()
    expect(model.requests).toHaveLength(asked)
  })
})

describe('agent guards fail closed', () => {
  const catching = agentMiddleware(async (context, next) => {
    await next().catch(() => undefined)
    try {
      context.result = 'all is well'
    } catch {
      // Too late.
    }
  })

  describe.each([
    ['alone', (guard: Middleware): readonly Middleware[] => [guard]],
    ['inside one that catches everything', (guard: Middleware): readonly Middleware[] => [catching, guard]],
  ] as const)('%s', (_, place) => {
    it.each(['throws before', 'hangs before', 'returns nothing'] as const)(
      'one that %s: nothing of the run happens',
      async (how) => {
        const guard = agentMiddleware(
          async () => {
            if (how === 'returns nothing') return
            if (how === 'hangs before') await forever()
            throw new Error(secret)
          },
          { name: 'guard', guard: true, timeoutMs: 50 },
        )
        const { agent, clock, ran, model } = setting(place(guard))
        const result = await runWithTime(agent, clock)
        expect(result.stopReason).toBe('terminated')
        expect(result.error).toContain('Guard "guard"')
        expect(model.requests).toHaveLength(0)
        expect(ran).toEqual([])
        expect(result.text).toBe('')
      },
    )

    it.each(['throws after', 'hangs after'] as const)(
      'one that %s: the answer is withheld, streamed and not, and stays so in the conversation',
      async (how) => {
        for (const streaming of [false, true]) {
          const guard = agentMiddleware(
            async (_context, next) => {
              await next()
              if (how === 'hangs after') await forever()
              throw new Error(secret)
            },
            { name: 'guard', guard: true, timeoutMs: 50 },
          )
          const { agent, clock, ran, store } = setting(place(guard))
          const running = streaming ? agent.stream('go').result : agent.run('go')
          for (let index = 0; index < 8; index++) {
            await quiet()
            await clock.advance(60)
          }
          const result = await running
          expect(result.stopReason).toBe('terminated')
          expect(ran).toHaveLength(1)
          expect(result.text).not.toContain('done')
          const kept = JSON.stringify((await store.sessions.get(result.sessionId))?.messages)
          expect(kept).not.toContain('"done"')
          expect(kept).not.toContain('the-guard-said')
          expect(kept).not.toContain('all is well')
        }
      },
    )
  })

  it('one that has not seen the answer when the run is aborted: the answer is withheld', async () => {
    const abort = new AbortController()
    const guard = agentMiddleware(
      async (_, next) => {
        await next()
        abort.abort()
        await forever()
      },
      { name: 'guard', guard: true },
    )
    const { agent, store } = setting(guard)
    const result = await agent.run('go', { signal: abort.signal })
    expect(result.stopReason).toBe('aborted')
    expect(result.text).not.toContain('done')
    expect(JSON.stringify((await store.sessions.get(result.sessionId))?.messages)).not.toContain('"done"')
  })

  it.each(['before', 'after'] as const)(
    'agent middleware that hangs %s next does not outlast the deadline',
    async (at) => {
      const hangs = agentMiddleware(async (_, next) => {
        if (at === 'after') await next()
        await forever()
      })
      const { agent, clock } = setting(hangs, { deadlineMs: 200 })
      const running = agent.run('go')
      for (let index = 0; index < 8; index++) {
        await quiet()
        await clock.advance(10_000)
      }
      expect((await running).stopReason).toBe('budget_limit')
    },
  )

  it('agent middleware that wakes up after its run was aborted drives nothing', async () => {
    const abort = new AbortController()
    let goOn: () => void = () => undefined
    const hangs = agentMiddleware(async (_, next) => {
      await new Promise<void>((resolve) => (goOn = resolve))
      await next()
    })
    const { agent, model, store } = setting(hangs)
    const running = agent.run('go', { signal: abort.signal })
    await quiet()
    abort.abort()
    const result = await running
    expect(result.stopReason).toBe('aborted')
    const before = JSON.stringify(await store.sessions.get(result.sessionId))
    goOn()
    await quiet()
    expect(model.requests).toHaveLength(0)
    expect(JSON.stringify(await store.sessions.get(result.sessionId))).toBe(before)
  })
})
