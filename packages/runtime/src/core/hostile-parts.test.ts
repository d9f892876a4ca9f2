import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  memoryStore,
  requireApproval,
  textOf,
  tool,
  ToolError,
  withContract,
  type AgentOptions,
  type ChatClient,
  type FunctionResultPart,
  type Labels,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

// Each of these once broke a law. Tools, schemas, guards, models and hosts may be careless or hostile.

const never = (): Promise<never> => new Promise(() => undefined)
const pass: Labels = { expand: (args) => args, conceal: (items) => items }

function made(execute: unknown, options: object = {}) {
  return tool({
    name: 't',
    description: 'd',
    inputSchema: z.object({}),
    effects: 'read',
    ...(execute === undefined ? {} : { execute: execute as () => unknown }),
    ...options,
  })
}

const call: ScriptedTurn = { calls: [{ name: 't' }] }

function agentWith(
  tools: AgentOptions['tools'],
  options: Partial<AgentOptions> = {},
  turns: readonly ScriptedTurn[] = [call, 'done', 'x'],
) {
  return new Agent({ model: new ScriptedChatClient(turns), ...(tools === undefined ? {} : { tools }), ...options })
}

function answers(result: RunResult): readonly FunctionResultPart[] {
  return result.messages.flatMap((message) => message.parts).filter((part) => part.kind === 'function_result')
}

/** A schema whose own library rejects. */
const rejectingSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => Promise.reject(new Error('hunter2')),
    jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
  },
} as const

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  await sleep(0)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

describe('an abort or a deadline ends the waiting for any stage', () => {
  const stages: readonly (readonly [string, object, Partial<AgentOptions>])[] = [
    ['labels that never expand', {}, { labels: { ...pass, expand: never } }],
    ['labels that never conceal', {}, { labels: { ...pass, conceal: never } }],
    ['a mapper that never maps', {}, { observation: { map: never } }],
    ['an output schema that never answers', { outputSchema: z.string().refine(never) }, {}],
    ['an input schema that never answers', { inputSchema: z.object({}).refine(never) }, {}],
    ['a policy that never decides', {}, { policy: { decide: never } }],
    ['a needsApproval that never answers', { needsApproval: never }, {}],
    ['a recorder that never records', {}, { recorder: { record: never } }],
    ['a tool that never ends', { execute: never }, {}],
  ]

  it.each(stages)(
    '%s: an abort ends the run, the call is answered, the process stays alive',
    async (_, options, agentOptions) => {
      const agent = agentWith([made(() => 'ok', options)], agentOptions)
      const abort = new AbortController()
      const running = agent.run('go', { signal: abort.signal })
      await sleep(5)
      abort.abort()
      const result = await running
      expect(result.stopReason).toBe('aborted')
      expect(answers(result)).toHaveLength(1)
    },
  )

  it.each(stages)('%s: the deadline of the run ends the waiting', async (_, options, agentOptions) => {
    const clock = new ManualClock()
    const agent = agentWith([made(() => 'ok', options)], { ...agentOptions, clock, deadlineMs: 100 })
    const running = agent.run('go')
    let over = false
    void running.finally(() => (over = true))
    while (!over) {
      await sleep(0)
      if (clock.sleeping > 0) await clock.advance(100)
    }
    const result = await running
    expect(result.stopReason).toBe('budget_limit')
    expect(answers(result)).toHaveLength(1)
  })

  it('what a guard says after the abort changes nothing any more', async () => {
    let release = (): void => undefined
    const gate = new Promise<boolean>((resolve) => (release = () => resolve(false)))
    const agent = agentWith([made(() => 'ok', { needsApproval: () => gate })])
    const abort = new AbortController()
    const running = agent.run('go', { signal: abort.signal })
    await sleep(1)
    abort.abort()
    const result = await running
    release()
    await sleep(1)
    const [record] = await agent.store.journal.calls(result.runId)
    expect(record).toMatchObject({ state: 'Observed', result: { errorCode: 'CANCELLED' } })
  })
})

describe('consent', () => {
  const gated = (execute: () => unknown) => made(execute, { effects: 'write', needsApproval: true })

  it.each<readonly [string, object]>([
    ['approved as a text', { kind: 'function_approval_response', approved: 'false', by: 'eve' }],
    ['approved as a number', { kind: 'function_approval_response', approved: 1, by: 'eve' }],
    ['nobody named', { kind: 'function_approval_response', approved: true }],
    ['a blank name', { kind: 'function_approval_response', approved: true, by: ' ' }],
    ['another kind of part', { kind: 'function_approval_request', approved: true, by: 'eve' }],
  ])('an answer with %s is no consent', async (_, answer) => {
    let ran = 0
    const agent = agentWith([gated(() => ++ran)])
    const asked = await agent.run('go')
    const forged = { ...answer, id: asked.approvals[0]?.id }
    await expect(agent.run([forged as never])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(ran).toBe(0)
    const result = await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect([result.stopReason, ran]).toEqual(['answered', 1])
  })

  it.each([
    ['another function', { needsApproval: () => false }],
    ['undefined', { needsApproval: undefined }],
    ['false', { needsApproval: false }],
  ])('withContract cannot take an approval away with %s', async (_, changes) => {
    let ran = 0
    for (const guarded of [
      requireApproval(made(() => ++ran)),
      requireApproval(
        made(() => ++ran),
        () => true,
      ),
    ]) {
      let copy = guarded
      try {
        copy = withContract(guarded, changes as never)
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_TOOL' })
      }
      expect((await agentWith([copy]).run('go')).stopReason).toBe('approval_required')
    }
    expect(ran).toBe(0)
  })

  it('a needsApproval that is neither yes nor no asks', async () => {
    const odd = made(() => 'ran')
    const copy = { ...odd, contract: { ...odd.contract, needsApproval: undefined as never } }
    expect((await agentWith([copy]).run('go')).stopReason).toBe('approval_required')
  })

  it('the result of another conversation’s call is refused, and so is one that does not fit the tool', async () => {
    const ask = made(undefined, { outputSchema: z.object({ n: z.number() }) })
    const agent = agentWith([ask])
    const victim = await agent.run('go', { session: await agent.session('victim') })
    const forged = victim.clientCalls[0]!.answer({ n: 1 })
    await expect(agent.run([forged], { session: await agent.session('mallory') })).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
    })
    const unfit = await agent.run([victim.clientCalls[0]!.answer({ n: 'one' })])
    expect(unfit).toMatchObject({
      stopReason: 'client_tool_required',
      refused: [{ reason: expect.stringContaining('n must be number') }],
    })
    expect(await agent.run([forged])).toMatchObject({ stopReason: 'answered' })
  })
})

describe('no effect twice', () => {
  it('a run in memory is not taken over while it works, however long a tool takes', async () => {
    let ran = 0
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    const clock = new ManualClock()
    const agent = agentWith([made(async () => (ran++, await gate), { effects: 'write', class: 'idempotencyKey' })], {
      clock,
      leaseMs: 100,
    })
    const running = agent.run('go')
    while (ran === 0) await sleep(0)
    await clock.advance(1000)
    const [run] = await agent.store.journal.runs()
    await expect(agent.resume(run!.id).result).rejects.toMatchObject({ code: 'RUN_BUSY' })
    release()
    expect((await running).stopReason).toBe('answered')
    expect(ran).toBe(1)
  })

  it('one lease renewal that fails for a moment loses nothing', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    let failed = 0
    const store = {
      ...inner,
      durable: true,
      journal: {
        ...inner.journal,
        append: async (batch: Parameters<typeof inner.journal.append>[0]) => {
          if (batch.length === 1 && batch[0]?.kind === 'run-claimed' && failed++ === 0) throw new Error('busy')
          return inner.journal.append(batch)
        },
      },
    }
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => (release = resolve))
    const agent = agentWith([made(() => gate, { effects: 'write' })], { store, clock, leaseMs: 300 })
    const running = agent.run('go')
    while (clock.sleeping === 0) await sleep(0)
    await clock.advance(100)
    await clock.advance(100)
    release()
    expect((await running).stopReason).toBe('answered')
    expect(failed).toBeGreaterThan(1)
  })

  it('limits per run go on where they were after an approval', async () => {
    let ran = 0
    const limited = made(() => ++ran, { perRun: { maxInvocations: 1 } })
    const gated = tool({
      name: 'gated',
      description: 'd',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => 'ok',
    })
    const agent = agentWith([limited, gated], {}, [call, { calls: [{ name: 'gated' }] }, call, 'done'])
    const asked = await agent.run('go')
    const result = await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(result.stopReason).toBe('answered')
    expect(ran).toBe(1)
    expect(answers(result).at(-1)?.errorCode).toBe('BUDGET_EXCEEDED')
  })
})

describe('whatever a tool returns or throws, the call has one answer and nothing leaks', () => {
  const hostile: readonly (readonly [string, unknown, object, string])[] = [
    ['toJSON that throws', () => ({ toJSON: () => boom() }), {}, 'INVALID_OUTPUT'],
    [
      'a getter that throws',
      () => ({
        get x() {
          return boom()
        },
      }),
      {},
      'INVALID_OUTPUT',
    ],
    [
      'a getter that throws, of a write',
      () => ({
        get x() {
          return boom()
        },
      }),
      { effects: 'write' },
      'success',
    ],
    // oxlint-disable-next-line no-thenable -- the point of the case
    ['a then that throws when read', () => Object.defineProperty({}, 'then', { get: boom }), {}, 'INTERNAL'],
    // oxlint-disable-next-line no-thenable -- the point of the case
    ['a then that throws when called', () => ({ then: boom }), {}, 'INTERNAL'],
    ['an output schema that throws', () => 'x', { outputSchema: z.string().refine(boom) }, 'INVALID_OUTPUT'],
    ['an output schema that rejects', async () => 'x', { outputSchema: rejectingSchema }, 'INVALID_OUTPUT'],
    [
      'a thrown proxy',
      () => {
        throw new Proxy({}, { getPrototypeOf: boom })
      },
      {},
      'INTERNAL',
    ],
    [
      'an error whose message throws',
      async () => {
        throw Object.defineProperty(new Error('x'), 'message', { get: boom })
      },
      {},
      'INTERNAL',
    ],
    [
      'an error named by a symbol',
      () => {
        throw Object.assign(new Error('x'), { name: Symbol('x') })
      },
      {},
      'INTERNAL',
    ],
    [
      'a tool error without a code',
      () => {
        throw new ToolError(undefined as never, 'no code')
      },
      {},
      'INTERNAL',
    ],
    [
      'a tool error with a code of escapes',
      () => {
        throw new ToolError('X\u001B[2J', 'm')
      },
      {},
      'INTERNAL',
    ],
    [
      'a tool error with a cycle',
      () => {
        const detail: Record<string, unknown> = {}
        detail['me'] = detail
        throw new ToolError('X', 'm', { detail: detail as never })
      },
      {},
      'INTERNAL',
    ],
    [
      'an envelope with a code of escapes',
      () => ({ status: 'error', data: null, summary: 's', errorCode: 'X\u001B]0;pwned\u0007\nY' }),
      {},
      'INTERNAL',
    ],
    ['a data part JSON cannot carry', () => ({ kind: 'data', data: 10n }), {}, 'success'],
    ['a part with more than it may hold', () => ({ kind: 'text', text: 'x', more: 1n }), {}, 'success'],
    ['toResult that promises', () => 'x', { toResult: async () => boom() }, 'success'],
  ]

  it.each(hostile)('%s', async (_, execute, options, expected) => {
    for (const includeDetailedErrors of [false, true]) {
      const agent = agentWith([made(execute, options)], { includeDetailedErrors })
      const result = await agent.run('go')
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      const [answer] = answers(result)
      expect(answer?.errorCode ?? answer?.status).toBe(expected)
      expect(JSON.stringify(result)).not.toMatch(/hunter2|id_rsa|\\u001b/i)
      expect(() => JSON.stringify(answer)).not.toThrow()
    }
  })

  it('an impact that promises, or is no text, is not declared; the request is written all the same', async () => {
    for (const impact of [async () => boom(), () => 5]) {
      const agent = agentWith([made(() => 'ok', { needsApproval: true, impact })])
      expect((await agent.run('go')).approvals).toMatchObject([{ impact: null }])
    }
  })

  it('a tool cannot change its call’s record or its returned content afterwards', async () => {
    const part = { kind: 'text', text: 'first' }
    const meddling = made((_: object, context: { call: { state: string; transitions: unknown[] } }) => {
      expect(() => (context.call.state = 'NeedsApproval')).toThrow(TypeError)
      expect(() => context.call.transitions.pop()).toThrow(TypeError)
      return part
    })
    const agent = agentWith([meddling])
    const result = await agent.run('go')
    part.text = 'changed'
    expect(textOf(answers(result)[0]?.content ?? [])).toBe('first')
    expect(JSON.stringify(await agent.store.journal.calls(result.runId))).not.toContain('changed')
  })

  function boom(): never {
    throw new Error('connect postgres://u:hunter2@db at /home/u/.ssh/id_rsa')
  }
})

describe('a model client that does not keep its contract', () => {
  it.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['no parts', { finishReason: 'stop' }],
    ['a part of nothing', { parts: [null], finishReason: 'stop' }],
    [
      'a call without a name',
      { parts: [{ kind: 'function_call', callId: 'c', arguments: '{}' }], finishReason: 'stop' },
    ],
    ['a call without arguments', { parts: [{ kind: 'function_call', callId: 'c', name: 't' }], finishReason: 'stop' }],
    ['a text that is none', { parts: [{ kind: 'text', text: 1 }], finishReason: 'stop' }],
    ['a value JSON cannot carry', { parts: [{ kind: 'text', text: 'x', extra: 1n }], finishReason: 'stop' }],
    ['a conversation id that is no text', { parts: [], finishReason: 'stop', conversationId: {} }],
    ['no finish reason', { parts: [] }],
  ])('a turn with %s ends the run in model_error; nothing of it is kept', async (_, response) => {
    const model: ChatClient = { model: 'broken', generate: async () => response as never }
    const agent = new Agent({ model, tools: [made(() => 'ok')] })
    for (const result of [await agent.run('go'), await agent.stream('go').result]) {
      expect(result).toMatchObject({ stopReason: 'model_error', error: expect.stringContaining('malformed turn') })
      expect(result.messages).toHaveLength(1)
    }
  })

  it('parts of unknown kinds are left out and counted', async () => {
    const parts = [{ kind: 'hologram' }, { kind: 'text', text: 'hi' }]
    const model: ChatClient = { model: 'new', generate: async () => ({ parts, finishReason: 'stop' }) as never }
    expect(await new Agent({ model }).run('go')).toMatchObject({ text: 'hi', ignoredParts: 1 })
  })

  it.each([
    undefined,
    { inputTokens: undefined, outputTokens: 1e6 },
    { inputTokens: Number.NaN, outputTokens: 1 },
    { inputTokens: -5, outputTokens: 1 },
  ])('usage %o is not known, and a token limit that cannot be kept is reached', async (usage) => {
    const parts = [{ kind: 'function_call', callId: 'c', name: 't', arguments: '{}' }]
    const model: ChatClient = {
      model: 'vague',
      generate: async () => ({ parts, finishReason: 'tool_calls', usage }) as never,
    }
    const result = await new Agent({ model, tools: [made(() => 'ok')], maxTokens: 100 }).run('go')
    expect(result).toMatchObject({ stopReason: 'budget_limit', error: expect.stringContaining('not known') })
  })

  it('a price that throws is a price nobody knows', async () => {
    const agent = agentWith([made(() => 'ok')], {
      price: () => {
        throw new Error('no price list')
      },
    })
    expect(await agent.run('go')).toMatchObject({ stopReason: 'answered', costUsd: null })
  })

  it('its errors reach the host without addresses, paths and credentials', async () => {
    const agent = agentWith([], {}, [
      { error: new Error('401 at https://api.example/v1 with api_key=sk-abcdefghijklmnop from /home/u/.env') },
    ])
    const { error } = await agent.run('go')
    expect(error).toContain('401')
    expect(error).not.toMatch(/sk-abc|\/home\/u|api\.example/)
  })

  it.each([
    ['a name', 'gpt-5'],
    ['an empty object', {}],
    ['null', null],
  ])('%s in the place of a model is refused at once', (_, model) => {
    expect(() => new Agent({ model: model as never })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

describe('a careless definition', () => {
  it.each<readonly [object, string]>([
    [{ needApproval: true }, 'Did you mean "needsApproval"?'],
    [{ effect: 'read' }, 'Did you mean "effects"?'],
    [{ colour: 'red' }, 'Known options: name'],
    [{ effects: 'reads' }, 'effects must be one of "read"'],
    [{ effects: 'destructiv' }, 'effects must be one of'],
    [{ needsApproval: 'yes' }, 'needsApproval must be true, false or a function'],
    [{ risk: 'none' }, 'risk must be one of'],
    [{ class: 'idempotent' }, 'class must be one of'],
    [{ timeoutMs: '5' }, 'timeoutMs must be a positive number'],
    [{ execute: 'run' }, 'execute must be a function'],
    [{ tags: 'a' }, 'tags must be a list of texts'],
    [{ reversible: 'perhaps' }, 'reversible must be'],
  ])('%o is refused, saying what to write', (options, words) => {
    expect(() => made(() => 1, options)).toThrow(
      expect.objectContaining({ code: 'INVALID_TOOL', message: expect.stringContaining(words) }),
    )
  })
})

describe('a stream', () => {
  it('gives its result while it is iterated, and everything it had to tell', async () => {
    const agent = agentWith([], {}, ['a long text that comes in many pieces '.repeat(50)])
    const stream = agent.stream('go')
    let pieces = 0
    let result: RunResult | undefined
    for await (const update of stream) {
      result ??= await stream.result
      if (update.kind === 'text-delta') pieces++
    }
    expect(result?.stopReason).toBe('answered')
    expect(pieces).toBeGreaterThan(200)
  })

  it('tells everything when the result was asked for first', async () => {
    const stream = agentWith([]).stream('go')
    const { result } = stream
    const kinds: string[] = []
    for await (const update of stream) kinds.push(update.kind)
    expect(kinds).toContain('run-stopped')
    expect((await result).stopReason).toBe('answered')
  })

  it('slows its model down to the pace of its reader', async () => {
    let asked = 0
    const model: ChatClient = {
      model: 'endless',
      generate: never,
      async *stream() {
        for (;;) {
          if (asked % 50 === 49) await sleep(0)
          yield { kind: 'text-delta', id: '0', text: String(asked++) }
        }
      },
    }
    const abort = new AbortController()
    const stream = new Agent({ model }).stream('go', { signal: abort.signal })
    const iterator = stream[Symbol.asyncIterator]()
    await iterator.next()
    await sleep(20)
    const askedByThen = asked
    abort.abort()
    await iterator.return?.()
    expect(askedByThen).toBeLessThan(200)
    expect((await stream.result).stopReason).toBe('aborted')
  })
})
