import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  functionMiddleware,
  memoryStore,
  tool,
  type AgentOptions,
  type CallRecord,
  type FunctionContext,
  type HostAnswer,
  type Json,
  type Middleware,
  type Next,
  type Policy,
  type RunResult,
  type Store,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

type Handle = (context: FunctionContext, next: Next) => void | Promise<void>

/** Tools that count, a store to share, and a fresh agent for every process that is played. */
function bench(store: Store = memoryStore()) {
  const ran: Json[] = []
  const clock = new ManualClock()
  const input = z.object({ n: z.number().optional() })
  const noting = (name: string) =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: input,
      effects: 'write',
      execute: (args) => {
        ran.push([name, args.n ?? null])
        return `${name} done`
      },
    })
  const gated = tool({
    name: 'gated',
    description: 'Gated.',
    inputSchema: input,
    effects: 'write',
    needsApproval: true,
    execute: (args) => void ran.push(['gated', args.n ?? null]),
  })
  const hosted = tool({ name: 'hosted', description: 'The host answers.', inputSchema: input })
  const tools = [noting('write'), noting('other'), gated, hosted]
  const process = (
    middleware: Middleware | readonly Middleware[],
    turns: readonly ScriptedTurn[] = ['done'],
    options: Partial<AgentOptions> = {},
  ): Agent => new Agent({ model: new ScriptedChatClient(turns), tools, store, clock, middleware, ...options })
  const calls = async ({ runId }: RunResult): Promise<readonly CallRecord[]> => store.journal.calls(runId)
  const codes = async (result: RunResult): Promise<readonly unknown[]> =>
    (await calls(result)).map((call) => call.result?.errorCode ?? call.result?.status ?? null)
  return { ran, clock, store, tools, process, calls, codes }
}

function proposing(...names: readonly string[]): ScriptedTurn {
  return { calls: names.map((name) => ({ name, arguments: { n: 1 } })) }
}

function states(call: CallRecord | undefined): readonly string[] {
  return call?.transitions.map(({ state }) => state) ?? []
}

const asking = (name: string, when: (context: FunctionContext) => boolean = () => true): Middleware =>
  functionMiddleware(
    async (context, next) => {
      if (when(context)) context.requireApproval({ reason: `${name} wants to know` })
      await next()
    },
    { name },
  )

const replacing = (name: string, n: unknown): Middleware =>
  functionMiddleware(
    async (context, next) => {
      await context.replaceArgs({ n } as never)
      await next()
    },
    { name },
  )

function approved(result: RunResult): readonly HostAnswer[] {
  return result.approvals.map((approval) => approval.approve({ by: 'ann' }))
}

/** Approves until nothing waits; each step in a process of its own. */
async function approveAll(start: RunResult, next: () => Agent, log: unknown[] = []): Promise<RunResult> {
  let result = start
  for (let step = 0; step < 6 && result.stopReason === 'approval_required'; step++) {
    log.push(result.approvals.map(({ askedBy, arguments: args }) => [askedBy, args]))
    result = await next().run(approved(result))
  }
  return result
}

async function quiet(): Promise<void> {
  for (let index = 0; index < 3; index++) await new Promise((resolve) => setImmediate(resolve))
}

describe('middleware that asks a person', () => {
  it('two that ask are asked one after the other, each once, in processes of their own', async () => {
    const { process, ran, calls } = bench()
    const list = [asking('first'), asking('second')]
    const log: unknown[] = []
    const result = await approveAll(await process(list, [proposing('write')]).run('go'), () => process(list), log)
    expect(log).toEqual([[['middleware:first', { n: 1 }]], [['middleware:second', { n: 1 }]]])
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ran).toEqual([['write', 1]])
    expect(states((await calls(result))[0])).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'NeedsApproval',
      'Approved',
      'NeedsApproval',
      'Approved',
      'Executing',
      'Succeeded',
      'Observed',
    ])
  })

  it('a contract that asks and middleware that asks are two questions', async () => {
    const { process, ran } = bench()
    const log: unknown[] = []
    const list = [asking('careful')]
    const result = await approveAll(await process(list, [proposing('gated')]).run('go'), () => process(list), log)
    expect(log).toEqual([[['contract', { n: 1 }]], [['middleware:careful', { n: 1 }]]])
    expect(ran).toEqual([['gated', 1]])
    expect(result.stopReason).toBe('answered')
  })

  it.each(['deny', 'expire'] as const)('an answer that is to %s: nothing runs, the model hears which', async (how) => {
    const { process, ran, codes, clock } = bench()
    const list = [asking('careful')]
    const asked = await process(list, [proposing('write')]).run('go')
    let result: RunResult
    if (how === 'deny') {
      result = await process(list).run(asked.approvals.map((one) => one.deny({ by: 'ann', reason: 'no' })))
    } else {
      await clock.advance(25 * 60 * 60 * 1000)
      result = await process(list).resume(asked.runId).result
    }
    expect(result.stopReason).toBe('answered')
    expect(await codes(result)).toEqual([how === 'deny' ? 'APPROVAL_DENIED' : 'APPROVAL_EXPIRED'])
    expect(ran).toEqual([])
  })

  it('what another middleware was allowed does not satisfy one that asks later', async () => {
    const { process, ran } = bench()
    const asked = await process([asking('first')], [proposing('write')]).run('go')
    const again = await process([asking('second')]).run(approved(asked))
    expect(again.approvals.map(({ askedBy }) => askedBy)).toEqual(['middleware:second'])
    expect(ran).toEqual([])
  })

  it('lifetime limits count what ran, not what waited or was short-circuited', async () => {
    const { process, ran, codes, tools } = bench()
    const once = tool({
      name: 'once',
      description: 'Once.',
      inputSchema: z.object({ n: z.number().optional() }),
      maxInvocations: 1,
      execute: () => void ran.push('once'),
    })
    const cachesFirst = functionMiddleware(async (context, next) => {
      if (context.call.turn === 1) context.result = 'from the cache'
      else await next()
    })
    const list = [cachesFirst, asking('careful')]
    const options = { tools: [...tools, once] }
    const asked = await process(list, [proposing('once'), proposing('once')], options).run('go')
    expect(asked.stopReason).toBe('approval_required')
    const result = await process(list, [proposing('once'), 'done'], options).run(approved(asked))
    expect(ran).toEqual(['once'])
    expect(await codes(result)).toEqual(['success', 'success', 'BUDGET_EXCEEDED'])
  })
})

describe('middleware that replaces arguments', () => {
  it('in every order with one that asks, what runs is what a person saw', async () => {
    for (const list of [
      [asking('asks'), replacing('swap', 7)],
      [replacing('swap', 7), asking('asks')],
    ]) {
      const { process, ran, calls } = bench()
      const log: unknown[] = []
      const result = await approveAll(await process(list, [proposing('write')]).run('go'), () => process(list), log)
      expect(result.stopReason).toBe('answered')
      expect(ran).toEqual([['write', 7]])
      // The last thing approved before it ran is what ran.
      expect(log.at(-1)).toEqual([['middleware:asks', { n: 7 }]])
      const [call] = await calls(result)
      expect(call?.transitions.some(({ detail }) => JSON.stringify(detail) === '{"by":"middleware:swap"}')).toBe(true)
    }
  })

  it('arguments that policy denies, asks about or cannot judge never run unseen', async () => {
    const judged = (effect: 'deny' | 'ask' | 'throw', later: boolean): Policy => ({
      decide: ({ arguments: args }) => {
        if (args['n'] !== 7) return { effect: 'allow', rules: [] }
        if (effect === 'throw') throw new Error('broken')
        const decision = { effect, rules: ['seven'] } as const
        return later ? Promise.resolve(decision) : decision
      },
    })
    for (const later of [false, true]) {
      for (const effect of ['deny', 'ask', 'throw'] as const) {
        const { process, ran, calls, codes } = bench()
        const list = [replacing('swap', 7)]
        const options = { policy: judged(effect, later) }
        const first = await process(list, [proposing('write'), 'done'], options).run('go')
        expect(ran).toEqual([])
        if (effect === 'ask') {
          expect(first.approvals[0]).toMatchObject({ arguments: { n: 7 } })
          const result = await process(list, ['done'], options).run(approved(first))
          expect(result.stopReason).toBe('answered')
          expect(ran).toEqual([['write', 7]])
        } else {
          expect(first.stopReason).toBe('answered')
          expect(await codes(first)).toEqual([effect === 'deny' ? 'PERMISSION_DENIED' : 'POLICY_ERROR'])
          expect(states((await calls(first))[0])).toContain('Rejected')
        }
      }
    }
  })

  it('arguments that do not validate are refused with what was expected, and nothing runs', async () => {
    for (const bad of ['seven', null, { deep: 1 }]) {
      const { process, ran, codes } = bench()
      const result = await process([replacing('swap', bad)], [proposing('write'), 'done']).run('go')
      expect(await codes(result)).toEqual(['INVALID_ARGUMENT'])
      expect(ran).toEqual([])
      expect(result.stopReason).toBe('answered')
    }
  })

  it('arguments nothing can carry are the failure of the piece that gave them', async () => {
    const loop: Record<string, unknown> = {}
    loop['n'] = loop
    const { process, ran, codes } = bench()
    const result = await process(
      [
        functionMiddleware(async (context, next) => {
          await context.replaceArgs(loop as never).catch(() => undefined)
          await next()
        }),
      ],
      [proposing('write'), 'done'],
    ).run('go')
    expect(await codes(result)).toEqual(['INTERNAL'])
    expect(ran).toEqual([])
  })

  it('the same arguments again are no replacement, and what the model wrote cannot be changed in place', async () => {
    const errors: unknown[] = []
    const { process, ran, calls } = bench()
    const result = await process(
      [
        functionMiddleware(async (context, next) => {
          try {
            ;(context.args as { n: number }).n = 9
          } catch (error) {
            errors.push(error)
          }
          await context.replaceArgs({ ...context.args })
          await next()
        }),
      ],
      [proposing('write'), 'done'],
    ).run('go')
    expect(errors).toHaveLength(1)
    expect(ran).toEqual([['write', 1]])
    expect(states((await calls(result))[0])).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'Executing',
      'Succeeded',
      'Observed',
    ])
  })

  it('a piece that does not wait for the replacement is waited for by next', async () => {
    const { process, ran } = bench()
    const policy: Policy = {
      decide: async ({ arguments: args }) => ({ effect: args['n'] === 7 ? 'deny' : 'allow', rules: [] }),
    }
    const hasty = functionMiddleware(async (context, next) => {
      void context.replaceArgs({ n: 7 })
      await next().catch(() => undefined)
    })
    await process([hasty], [proposing('write'), 'done'], { policy }).run('go')
    expect(ran).toEqual([])
  })

  it.each(['replaceArgs', 'requireApproval', 'reject'] as const)(
    '%s after next is refused as misuse, while pieces inside still look at the call too',
    async (what) => {
      const errors: unknown[] = []
      const { process, ran, clock } = bench()
      const use = async (context: FunctionContext): Promise<void> => {
        try {
          if (what === 'replaceArgs') await context.replaceArgs({ n: 7 })
          else if (what === 'requireApproval') context.requireApproval({ reason: 'late' })
          else context.reject('late')
        } catch (error) {
          errors.push(error)
        }
      }
      const outer = functionMiddleware(async (context, next) => {
        const inside = next()
        await use(context)
        await inside
        await use(context)
      })
      const guard = functionMiddleware(
        async (context, next) => {
          await clock.sleep(10)
          if (context.args['n'] !== 1) context.reject('not this one')
          await next()
        },
        { guard: true, name: 'guard' },
      )
      const running = process([outer, guard], [proposing('write'), 'done']).run('go')
      await quiet()
      await clock.advance(10)
      expect((await running).stopReason).toBe('answered')
      expect(errors).toMatchObject([{ code: 'MIDDLEWARE_MISUSE' }, { code: 'MIDDLEWARE_MISUSE' }])
      expect(ran).toEqual([['write', 1]])
    },
  )

  it('one whose arguments differ every time is asked about again and again, and never runs unseen', async () => {
    const { process, ran, calls } = bench()
    const grows = functionMiddleware(async (context, next) => {
      await context.replaceArgs({ n: Number(context.args['n']) + 1 })
      await next()
    })
    const policy: Policy = { decide: () => ({ effect: 'ask', rules: [] }) }
    let result = await process([grows], [proposing('write')], { policy }).run('go')
    for (let step = 0; step < 4; step++) {
      expect(result.stopReason).toBe('approval_required')
      result = await process([grows], ['done'], { policy }).run(approved(result))
    }
    expect(ran).toEqual([])
    expect((await calls(result))[0]?.result).toBeNull()
  })
})

describe('one asks, others of its batch', () => {
  const askFor = (name: string, afterMs = 0, clock?: ManualClock): Middleware =>
    functionMiddleware(
      async (context, next) => {
        if (context.tool.name === name) {
          if (afterMs > 0) await clock?.sleep(afterMs)
          context.requireApproval({ reason: 'because' })
        }
        await next()
      },
      { name: 'asks' },
    )

  it('asks at once: nothing of the batch runs, short circuits keep their answer, all goes on together', async () => {
    const { process, ran, codes, calls } = bench()
    const cache = functionMiddleware(async (context, next) => {
      if (context.tool.name === 'other') context.result = 'cached'
      else await next()
    })
    const patient = functionMiddleware(async (context, next) => {
      if (context.tool.name === 'write') await quiet()
      await next()
    })
    const list = [cache, patient, askFor('write')]
    const asked = await process(list, [proposing('other', 'write', 'write', 'hosted')]).run('go')
    expect(asked.stopReason).toBe('approval_required')
    expect(asked.approvals).toHaveLength(2)
    expect(ran).toEqual([])
    expect((await calls(asked)).map(({ state }) => state)).toEqual([
      'Observed',
      'NeedsApproval',
      'NeedsApproval',
      'PolicyChecked',
    ])
    const waits = await process(list).run(approved(asked))
    expect(waits.stopReason).toBe('client_tool_required')
    expect(ran).toEqual([
      ['write', 1],
      ['write', 1],
    ])
    const result = await process(list).run(waits.clientCalls.map((call) => call.answer('from the host')))
    expect(result.stopReason).toBe('answered')
    expect(await codes(result)).toEqual(['success', 'success', 'success', 'success'])
    const answers = result.messages.filter(({ role }) => role === 'tool')
    expect(answers.map(({ parts }) => parts.length)).toEqual([4])
  })

  it.each([null, 1, 2])('asks later: the others run under a cap of %o, then the run waits', async (concurrency) => {
    const { process, ran, clock, calls } = bench()
    const list = [askFor('other', 500, clock)]
    const options = concurrency === null ? {} : { concurrency }
    const running = process(list, [proposing('other', 'write', 'write', 'write')], options).run('go')
    await quiet()
    expect(ran).toEqual([])
    await clock.advance(100)
    await quiet()
    expect(ran).toHaveLength(3)
    await clock.advance(400)
    const asked = await running
    expect(asked.stopReason).toBe('approval_required')
    expect((await calls(asked)).map(({ state }) => state)).toEqual([
      'NeedsApproval',
      'Observed',
      'Observed',
      'Observed',
    ])
    const resumed = process(list, ['done'], options).run(approved(asked))
    await quiet()
    await clock.advance(500)
    expect((await resumed).stopReason).toBe('answered')
    expect(ran).toHaveLength(4)
  })

  it('a request is never lost beside one that asks in the same moment', async () => {
    for (const later of [false, true]) {
      const { process, ran, calls, store } = bench()
      const policy: Policy = {
        decide: ({ arguments: args }) => {
          const decision = { effect: args['n'] === 7 ? 'ask' : 'allow', rules: [] } as const
          return later ? Promise.resolve(decision) : decision
        },
      }
      const list = [
        functionMiddleware(async (context, next) => {
          if (context.tool.name === 'other') await context.replaceArgs({ n: 7 })
          else context.requireApproval({ reason: 'because' })
          await next()
        }),
      ]
      let result = await process(list, [proposing('other', 'write')], { policy }).run('go')
      for (let step = 0; step < 4 && result.stopReason === 'approval_required'; step++) {
        for (const call of await calls(result)) {
          if (call.state !== 'NeedsApproval') continue
          expect(await store.approvals.get(call.approvalId ?? '')).toBeDefined()
        }
        result = await process(list, ['done'], { policy }).run(approved(result))
      }
      expect(result.stopReason).toBe('answered')
      expect(ran.map(String).toSorted()).toEqual(['other,7', 'write,1'])
    }
  })

  it('an aborted run asks nobody', async () => {
    const abort = new AbortController()
    const { process, ran, codes, store } = bench()
    const asks = functionMiddleware(async (context, next) => {
      abort.abort()
      context.requireApproval({ reason: 'because' })
      await next()
    })
    const result = await process([asks], [proposing('write', 'other')]).run('go', { signal: abort.signal })
    expect(result.stopReason).toBe('aborted')
    expect(await codes(result)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(await store.approvals.list({ runId: result.runId })).toEqual([])
    expect(ran).toEqual([])
  })

  it('an abort while a refusal is being worded leaves one answer', async () => {
    const abort = new AbortController()
    const { process, ran, codes } = bench()
    const policy: Policy = {
      decide: async ({ arguments: args }) => {
        if (args['n'] === 7) queueMicrotask(() => queueMicrotask(() => abort.abort()))
        return { effect: args['n'] === 7 ? 'deny' : 'allow', rules: [] }
      },
    }
    const observation = { map: async (_: unknown, items: never) => Promise.resolve(items) }
    for (const deadlineMs of [undefined, 1_000]) {
      const result = await process([replacing('swap', 7)], [proposing('write', 'other'), 'done'], {
        policy,
        observation: observation as never,
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      }).run('go', { signal: abort.signal })
      expect(['aborted', 'answered']).toContain(result.stopReason)
      for (const code of await codes(result)) expect(['PERMISSION_DENIED', 'CANCELLED', 'INTERNAL']).toContain(code)
      expect(ran).toEqual([])
    }
  })
})

describe('middleware that ends the run', () => {
  const ends =
    (at: 'before' | 'after', result?: unknown): Handle =>
    async (context, next) => {
      if (context.tool.name !== 'write') return next()
      if (at === 'after') await next()
      context.terminate(result)
    }

  it.each(['before', 'after'] as const)('%s next: the siblings finish, all results are kept', async (at) => {
    const { process, ran, codes } = bench()
    const model = new ScriptedChatClient([proposing('other', 'write', 'other')])
    const result = await process(functionMiddleware(ends(at, 'the last word'), { name: 'ends' }), [], { model }).run(
      'go',
    )
    expect(result).toMatchObject({ stopReason: 'terminated', error: 'Ended by middleware "ends".' })
    expect(ran.filter((one) => JSON.stringify(one).includes('other'))).toHaveLength(2)
    expect(ran).toHaveLength(at === 'after' ? 3 : 2)
    expect(await codes(result)).toEqual(['success', 'success', 'success'])
    expect(JSON.stringify(result.messages.at(-1))).toContain('the last word')
    expect(model.requests).toHaveLength(1)
  })

  it('before next, and next all the same: the call is not carried out', async () => {
    for (const guard of [false, true]) {
      const { process, ran, codes } = bench()
      const result = await process(
        functionMiddleware(
          async (context, next) => {
            context.terminate('enough')
            await next()
          },
          { guard, name: 'ends' },
        ),
        [proposing('write')],
      ).run('go')
      expect(result.stopReason).toBe('terminated')
      expect(ran).toEqual([])
      expect(await codes(result)).toEqual(['success'])
    }
  })

  it('a sibling that asks is not waited for: the run has an end', async () => {
    const { process, store, codes } = bench()
    const list = [functionMiddleware(ends('before', 'enough')), asking('asks', ({ tool }) => tool.name === 'other')]
    const result = await process(list, [proposing('write', 'other', 'hosted')]).run('go')
    expect(result.stopReason).toBe('terminated')
    expect(await codes(result)).toEqual(['success', 'CANCELLED', 'CANCELLED'])
    expect(await store.approvals.list({ status: 'pending' })).toEqual([])
    const next = await process(list, ['well']).run('again')
    expect(next.stopReason).toBe('answered')
  })
})

describe('middleware that refuses', () => {
  it('the text is for the model, the code is what it says or PERMISSION_DENIED, never something else', async () => {
    for (const [given, code] of [
      [undefined, 'PERMISSION_DENIED'],
      ['OUT_OF_HOURS', 'OUT_OF_HOURS'],
      ['not a code', 'INTERNAL'],
    ] as const) {
      const { process, ran, calls } = bench()
      const result = await process(
        functionMiddleware(
          async (context, next) => {
            try {
              context.reject('Only in the morning.', given === undefined ? {} : { errorCode: given })
            } finally {
              await next().catch(() => undefined)
            }
          },
          { name: 'hours' },
        ),
        [proposing('write'), 'done'],
      ).run('go')
      const [call] = await calls(result)
      expect(call?.result?.errorCode).toBe(code)
      expect(JSON.stringify(call?.result?.answer)).toContain('Only in the morning.')
      expect(call?.transitions.at(-2)).toMatchObject({ state: 'Rejected', detail: { by: 'middleware:hours' } })
      expect(ran).toEqual([])
      expect(result.stopReason).toBe('answered')
    }
  })
})

describe('results of the host go through function middleware too', () => {
  const hidesHosted = functionMiddleware(
    async (context, next) => {
      await next()
      if (context.tool.name === 'hosted') context.result = `hidden: ${JSON.stringify(context.result?.data)}`
    },
    { name: 'hides' },
  )

  it('the part after next sees the result of the host, in another process too, and may change it', async () => {
    const { process, calls, store, ran } = bench()
    const waits = await process([hidesHosted], [proposing('hosted', 'write')]).run('go')
    expect(waits.stopReason).toBe('client_tool_required')
    expect(ran).toHaveLength(1)
    const result = await process([hidesHosted]).run(waits.clientCalls.map((call) => call.answer({ card: '4111' })))
    expect(result.stopReason).toBe('answered')
    const [hosted] = await calls(result)
    expect(states(hosted)).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'AwaitingClient',
      'Succeeded',
      'Observed',
    ])
    expect(hosted?.transitions.at(-1)?.detail).toEqual({ by: 'middleware:hides' })
    expect(hosted?.result?.answer.content).toEqual([{ kind: 'text', text: 'hidden: {"card":"4111"}' }])
    expect((await store.evidence.get(hosted?.result?.evidenceUri ?? ''))?.value).toEqual({ card: '4111' })
    expect(ran).toHaveLength(1)
  })

  it('whatever form it has, what middleware leaves alone reaches the model as the host gave it', async () => {
    const passes = functionMiddleware(async (_, next) => {
      await next()
    })
    const file = { kind: 'file', mediaType: 'image/png', data: 'AAAA' } as const
    for (const value of ['text', '', { a: 1 }, [1, 2], 7, file, [{ kind: 'text', text: 'a' }, file]]) {
      const contents: unknown[] = []
      for (const list of [[], [passes]]) {
        const { process, calls } = bench()
        const waits = await process(list, [proposing('hosted')]).run('go')
        const result = await process(list).run(waits.clientCalls.map((call) => call.answer(value)))
        expect(result.stopReason).toBe('answered')
        contents.push((await calls(result))[0]?.result?.answer.content)
      }
      expect(contents[1]).toEqual(contents[0])
    }
    const { process, calls, codes } = bench()
    const waits = await process([passes], [proposing('hosted')]).run('go')
    const failed = await process([passes]).run(waits.clientCalls.map((call) => call.fail('NO_CAMERA', 'No camera.')))
    expect(await codes(failed)).toEqual(['NO_CAMERA'])
    expect((await calls(failed))[0]?.result?.summary).toBe('No camera.')
  })

  it.each(['throws before', 'throws after', 'returns nothing', 'refuses', 'aborts'] as const)(
    'a guard that %s when the result is in withholds it',
    async (how) => {
      const abort = new AbortController()
      let isBack = false
      const guard = functionMiddleware(
        async (context, next) => {
          if (isBack && how === 'throws before') throw new Error('the-guard-said-this')
          if (isBack && how === 'returns nothing') return
          if (isBack && how === 'refuses') context.reject('not now')
          if (isBack && how === 'aborts') {
            abort.abort()
            await new Promise(() => undefined)
          }
          await next()
          if (how === 'throws after') throw new Error('the-guard-said-this')
        },
        { name: 'guard', guard: true },
      )
      const { process, codes, store } = bench()
      const waits = await process([guard], [proposing('hosted')]).run('go')
      expect(waits.stopReason).toBe('client_tool_required')
      isBack = true
      const answers = waits.clientCalls.map((call) => call.answer('private'))
      const result = await process([guard]).run(answers, { signal: abort.signal })
      expect(result.stopReason).toBe(how === 'aborts' ? 'aborted' : how === 'refuses' ? 'answered' : 'terminated')
      expect(await codes(result)).toEqual([how === 'aborts' ? 'CANCELLED' : 'RESULT_WITHHELD'])
      const kept = JSON.stringify((await store.sessions.get(result.sessionId))?.messages)
      expect(kept).not.toContain('private')
      expect(kept).not.toContain('the-guard-said')
    },
  )

  it('a result that is in waits for the siblings that are not, and is answered once', async () => {
    const { process, codes } = bench()
    const waits = await process([hidesHosted], [proposing('hosted', 'hosted')]).run('go')
    const [one, two] = waits.clientCalls
    if (one === undefined || two === undefined) throw new Error('two calls wait')
    const half = await process([hidesHosted]).run([one.answer('first')])
    expect(half.stopReason).toBe('client_tool_required')
    expect(half.clientCalls.map(({ callId }) => callId)).toEqual([two.callId])
    const again = await process([hidesHosted]).run([one.answer('other'), two.answer('second')])
    expect(again.refused).toHaveLength(1)
    expect(await codes(again)).toEqual(['success', 'success'])
    expect(JSON.stringify(again.messages)).toContain('hidden: \\"first\\"')
    expect(JSON.stringify(again.messages)).toContain('hidden: \\"second\\"')
  })

  it('one that asked for it before is satisfied, and one that asks again changes nothing', async () => {
    const { process, codes } = bench()
    const asked = await process([asking('asks')], [proposing('hosted')]).run('go')
    expect(asked.stopReason).toBe('approval_required')
    const waits = await process([asking('asks')]).run(approved(asked))
    expect(waits.stopReason).toBe('client_tool_required')
    const result = await process([asking('asks'), asking('new')]).run(
      waits.clientCalls.map((call) => call.answer('in')),
    )
    expect(result.stopReason).toBe('answered')
    expect(await codes(result)).toEqual(['success'])
  })
})
