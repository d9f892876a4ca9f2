import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  limitText,
  ModelCallError,
  textOf,
  tool,
  type AgentOptions,
  type ChatRequest,
  type FunctionResultPart,
  type Json,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const ok = tool({
  name: 'ok',
  description: 'Works.',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => 'fine',
})
const bad = tool({
  name: 'bad',
  description: 'Fails.',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => {
    throw new Error('no')
  },
})

const call = (...names: readonly string[]): ScriptedTurn => ({ calls: names.map((name) => ({ name })) })

function agentWith(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedChatClient(turns)
  return { model, agent: new Agent({ model, tools: [ok, bad], ...options }) }
}

function codes(result: RunResult): readonly string[] {
  return results(result).map((part) => part.errorCode ?? part.status)
}

function results(result: RunResult): readonly FunctionResultPart[] {
  return result.messages.flatMap((message) => message.parts).filter((part) => part.kind === 'function_result')
}

/** Every call of every assistant message is answered by the next message, exactly once and in order. */
function expectPaired(result: RunResult): void {
  for (const [index, message] of result.messages.entries()) {
    const asked = message.parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : []))
    if (asked.length === 0) continue
    const answered = result.messages[index + 1]?.parts.flatMap((part) =>
      part.kind === 'function_result' ? [part.callId] : [],
    )
    expect(answered).toEqual(asked)
  }
}

describe('the loop', () => {
  it('MAF 19: call, execution, result, second model turn, text', async () => {
    const { agent, model } = agentWith([call('ok'), 'done'])
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('MAF 20: several calls of one response run together, results in order', async () => {
    let running = 0
    let most = 0
    const slow = tool({
      name: 'slow',
      description: 'Takes its time.',
      inputSchema: z.object({ n: z.number() }),
      effects: 'read',
      execute: async ({ n }) => {
        most = Math.max(most, ++running)
        await sleep(5 - n)
        running--
        return n
      },
    })
    const { agent } = agentWith([{ calls: [0, 1, 2, 3].map((n) => ({ name: 'slow', arguments: { n } })) }, 'done'], {
      tools: [slow],
    })
    const result = await agent.run('go')
    expect(most).toBe(4)
    expect(results(result).map((part) => part.content)).toEqual([0, 1, 2, 3].map((n) => [{ kind: 'data', data: n }]))
  })

  it('MAF 21: calls spread between the texts of one response all run, in order', async () => {
    const asked = (callId: string) => ({ kind: 'function_call', callId, name: 'ok', arguments: '{}' }) as const
    const { agent } = agentWith([
      {
        response: {
          parts: [{ kind: 'text', text: 'first' }, asked('a'), { kind: 'text', text: 'then' }, asked('b'), asked('c')],
          finishReason: 'tool_calls',
        },
      },
      'done',
    ])
    const result = await agent.run('go')
    expect(results(result).map((part) => [part.callId, part.status])).toEqual([
      ['a', 'success'],
      ['b', 'success'],
      ['c', 'success'],
    ])
    expectPaired(result)
  })

  it('MAF 22: a required tool choice falls back to auto after the first round; none stays', async () => {
    const { agent, model } = agentWith([call('ok'), 'done', call('ok'), 'done', 'done'])
    await agent.run('go', { toolChoice: 'required' })
    await agent.run('go', { toolChoice: { tool: 'ok' } })
    await agent.run('go', { toolChoice: 'none' })
    expect(model.requests.map((request) => request.toolChoice)).toEqual([
      'required',
      'auto',
      { tool: 'ok' },
      'auto',
      'none',
    ])
  })

  it('a tool choice that names no tool is refused, naming those there are', async () => {
    const { agent } = agentWith(['x'])
    await expect(agent.run('go', { toolChoice: { tool: 'nope' } })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('ok, bad'),
    })
  })

  it('MAF 23: informational calls are neither run nor asked about, streamed or not', async () => {
    for (const streaming of [false, true]) {
      const { agent } = agentWith([
        {
          response: {
            parts: [
              { kind: 'function_call', callId: 'c', name: 'ok', arguments: '{}', informational: true },
              { kind: 'text', text: 'done' },
            ],
            finishReason: 'stop',
          },
        },
      ])
      const result = streaming ? await agent.stream('go').result : await agent.run('go')
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      expect(await agent.store.journal.calls(result.runId)).toEqual([])
    }
  })

  it('MAF 24: a call already answered in the same response is not run; provider-executed calls pass through', async () => {
    const { agent } = agentWith([
      {
        response: {
          parts: [
            { kind: 'function_call', callId: 'p', name: 'web_search', arguments: '{}', providerExecuted: true },
            {
              kind: 'function_result',
              callId: 'p',
              name: 'web_search',
              call: null,
              status: 'success',
              content: [{ kind: 'text', text: 'found' }],
              providerExecuted: true,
            },
            { kind: 'text', text: 'done' },
          ],
          finishReason: 'stop',
        },
      },
    ])
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(result.messages.at(-1)?.parts).toHaveLength(3)
    expect(await agent.store.journal.calls(result.runId)).toEqual([])
  })

  it('MAF 25, 26: at max iterations the last turn is asked without tools, and no call stays unanswered', async () => {
    const { agent, model } = agentWith([call('ok'), call('ok'), 'final words'], { maxIterations: 2 })
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'iteration_limit', text: 'final words' })
    expect(model.requests.at(-1)?.toolChoice).toBe('none')
    expectPaired(result)
  })

  it('MAF 27: every message in between is in the result', async () => {
    const { agent } = agentWith([call('ok'), call('ok', 'ok'), 'done'])
    const result = await agent.run('go')
    expect(result.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  it.each<readonly [string, ScriptedTurn]>([
    ['a blank answer', ' '],
    [
      'an answer of reasoning alone',
      { response: { parts: [{ kind: 'reasoning', text: 'hm' }], finishReason: 'stop' } },
    ],
    ['an answer of calls alone', call('ok')],
    ['a model that fails', { error: new Error('down') }],
  ])('MAF 28: at a limit, %s gets the fixed sentence', async (_, turn) => {
    const { agent } = agentWith([call('ok'), turn], { maxIterations: 1 })
    const result = await agent.run('go')
    expect(result.stopReason).toBe('iteration_limit')
    expect(result.text.trim()).toBe(limitText)
    expectPaired(result)
  })

  it('MAF 29: the conversation stays valid for a next run after a limit', async () => {
    const { agent, model } = agentWith([call('ok'), call('ok'), 'hello again'], { maxIterations: 1 })
    const session = await agent.session('s')
    await agent.run('go', { session })
    const next = await agent.run('and now?', { session })
    expect(next).toMatchObject({ stopReason: 'answered', text: 'hello again' })
    const open = model.requests[2]?.messages.flatMap((message) => message.parts) ?? []
    const asked = open.filter((part) => part.kind === 'function_call').length
    expect(open.filter((part) => part.kind === 'function_result')).toHaveLength(asked)
  })

  it.each([
    ['a number', 2, ['success', 'success', 'success']],
    ['afterBatch', { limit: 2, mode: 'afterBatch' as const }, ['success', 'success', 'success']],
    ['hard', { limit: 2, mode: 'hard' as const }, ['success', 'success', 'BUDGET_EXCEEDED']],
  ])('MAF 30: maxFunctionCalls as %s with parallel calls', async (_, maxFunctionCalls, expected) => {
    const { agent } = agentWith([call('ok', 'ok', 'ok'), 'words'], { maxFunctionCalls })
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'call_limit', text: 'words' })
    expect(codes(result)).toEqual(expected)
  })

  it('MAF 30: single calls count over turns, and null is unlimited', async () => {
    const { agent } = agentWith([call('ok'), call('ok'), 'words'], { maxFunctionCalls: 2 })
    expect(await agent.run('go')).toMatchObject({ stopReason: 'call_limit' })
    const free = agentWith([call('ok'), call('ok'), call('ok'), 'words'], { maxFunctionCalls: null })
    expect(await free.agent.run('go')).toMatchObject({ stopReason: 'answered' })
  })

  it('MAF 31: at a limit unexecutable calls are dropped, provider-executed pairs survive', async () => {
    const { agent } = agentWith(
      [
        call('ok'),
        {
          response: {
            parts: [
              { kind: 'function_call', callId: 'x', name: 'ok', arguments: '{}' },
              { kind: 'function_call', callId: 'p', name: 'web_search', arguments: '{}', providerExecuted: true },
              { kind: 'text', text: 'words' },
            ],
            finishReason: 'tool_calls',
          },
        },
      ],
      { maxIterations: 1 },
    )
    const result = await agent.run('go')
    const last = result.messages.at(-1)?.parts.map((part) => (part.kind === 'function_call' ? part.callId : part.kind))
    expect(last).toEqual(['p', 'text'])
  })

  it('MAF 33: consecutive failing batches stop; a clean batch starts the count anew', async () => {
    const stopped = agentWith([call('bad'), call('bad', 'ok'), call('bad'), 'sorry'])
    expect(await stopped.agent.run('go')).toMatchObject({ stopReason: 'error_limit', text: 'sorry' })
    const recovered = agentWith([call('bad'), call('bad'), call('ok'), call('bad'), call('bad'), 'fine'])
    expect(await recovered.agent.run('go')).toMatchObject({ stopReason: 'answered', text: 'fine' })
    const strict = agentWith([call('bad'), 'sorry'], { maxConsecutiveErrors: 0 })
    expect(await strict.agent.run('go')).toMatchObject({ stopReason: 'error_limit' })
  })

  it('MAF 35: an unknown call gets an error result; with terminateOnUnknownCalls nothing of its batch runs', async () => {
    const { agent } = agentWith([call('nope', 'ok'), 'done'])
    expect(codes(await agent.run('go'))).toEqual(['UNKNOWN_TOOL', 'success'])
    const strict = agentWith([call('ok', 'nope')], { terminateOnUnknownCalls: true })
    const result = await strict.agent.run('go')
    expect(result.stopReason).toBe('unknown_tool')
    expect(codes(result)).toEqual(['CANCELLED', 'UNKNOWN_TOOL'])
    expectPaired(result)
  })

  it('MAF 36: additionalTools can be called though the model is not told of them', async () => {
    const hidden = tool({
      name: 'hidden',
      description: 'Hidden.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 'here',
    })
    const { agent, model } = agentWith([call('hidden'), 'done'], { additionalTools: [hidden] })
    expect(codes(await agent.run('go'))).toEqual(['success'])
    expect(model.requests[0]?.tools.map((definition) => definition.name)).toEqual(['ok', 'bad'])
  })

  it('MAF 37: error detail reaches the model only when enabled, without stack, path or credential, streamed or not', async () => {
    const leaky = tool({
      name: 'leaky',
      description: 'Leaks.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => {
        throw new TypeError('cannot open /srv/app/config.json with password=hunter2 at https://db.internal/x')
      },
    })
    for (const streaming of [false, true]) {
      const shown = async (includeDetailedErrors: boolean): Promise<string> => {
        const { agent } = agentWith([call('leaky'), 'done'], { tools: [leaky], includeDetailedErrors })
        const result = streaming ? await agent.stream('go').result : await agent.run('go')
        return textOf(results(result)[0]?.content ?? [])
      }
      expect(await shown(false)).not.toMatch(/TypeError|cannot open/)
      const detailed = await shown(true)
      expect(detailed).toContain('TypeError: cannot open [path]')
      expect(detailed).not.toMatch(/hunter2|config\.json|db\.internal/)
    }
  })

  it.each([
    [{ maxIterations: 0 }, 'maxIterations'],
    [{ maxIterations: 1.5 }, 'maxIterations'],
    [{ maxFunctionCalls: 0 }, 'maxFunctionCalls'],
    [{ maxFunctionCalls: { limit: 1, mode: 'soft' as never } }, 'maxFunctionCalls.mode'],
    [{ maxConsecutiveErrors: -1 }, 'maxConsecutiveErrors'],
    [{ concurrency: 0 }, 'concurrency'],
    [{ maxTokens: Number.NaN }, 'maxTokens'],
    [{ maxCostUsd: 0 }, 'maxCostUsd'],
    [{ deadlineMs: -1 }, 'deadlineMs'],
    [{ approvalTtlMs: 0 }, 'approvalTtlMs'],
    [{ leaseMs: Number.POSITIVE_INFINITY }, 'leaseMs'],
  ])('MAF 38: %o is refused, naming the option', (options, name) => {
    expect(() => new Agent(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(name) }),
    )
  })

  it('MAF 40: a conversation id the provider gave is sent back with only what it has not seen', async () => {
    const held = (id: string | undefined, text?: string): ScriptedTurn => ({
      response: {
        parts:
          text === undefined
            ? [{ kind: 'function_call', callId: 'c', name: 'ok', arguments: '{}' }]
            : [{ kind: 'text', text }],
        finishReason: text === undefined ? 'tool_calls' : 'stop',
        ...(id === undefined ? {} : { conversationId: id }),
      },
    })
    const { agent, model } = agentWith([
      held('r1'),
      held('r2'),
      held('r3', 'done'),
      held('r4', 'again'),
      held(undefined, 'lost'),
      'whole',
    ])
    const session = await agent.session('s')
    await agent.run('go', { session })
    await agent.run('more', { session })
    await agent.run('and more', { session })
    await agent.run('and again', { session })
    expect(model.requests.map((request) => request.conversationId)).toEqual([
      undefined,
      'r1',
      'r2',
      'r3',
      'r4',
      undefined,
    ])
    expect(model.requests.map((request) => request.messages.map((message) => message.role).join(' '))).toEqual([
      'user',
      'tool',
      'tool',
      'user',
      'user',
      // The provider gave no id any more: the whole history is sent again.
      'user assistant tool assistant tool assistant user assistant user assistant user',
    ])
  })

  it('MAF 34: after a stop at a limit the provider-held history is not gone on from', async () => {
    const { agent, model } = agentWith(
      [
        {
          response: {
            parts: [{ kind: 'function_call', callId: 'c', name: 'ok', arguments: '{}' }],
            finishReason: 'tool_calls',
            conversationId: 'r1',
          },
        },
        { response: { parts: [{ kind: 'text', text: 'end' }], finishReason: 'stop', conversationId: 'r2' } },
        'next',
      ],
      { maxIterations: 1 },
    )
    const session = await agent.session('s')
    await agent.run('go', { session })
    await agent.run('more', { session })
    expect(model.requests[2]?.conversationId).toBeUndefined()
    expect(model.requests[2]?.messages.length).toBeGreaterThan(3)
  })

  it('MAF 41: usage is summed over all turns', async () => {
    const { agent } = agentWith([call('ok'), call('ok'), 'done'])
    expect((await agent.run('go')).usage).toEqual({ inputTokens: 30, outputTokens: 15 })
  })

  it('MAF 43: a stream yields reasoning, calls and results in order', async () => {
    const { agent } = agentWith([
      {
        response: {
          parts: [
            { kind: 'reasoning', text: 'think' },
            { kind: 'function_call', callId: 'c', name: 'ok', arguments: '{}' },
          ],
          finishReason: 'tool_calls',
        },
      },
      'done',
    ])
    const seen: string[] = []
    for await (const update of agent.stream('go')) {
      if (update.kind === 'call-moved') seen.push(...update.transitions.map(({ state }) => state))
      else seen.push(update.kind)
    }
    expect(seen).toEqual([
      'run-started',
      'message-added',
      'reasoning-delta',
      'part',
      'message-added',
      'Requested',
      'Validated',
      'PolicyChecked',
      'Executing',
      'Succeeded',
      'Observed',
      'message-added',
      'text-delta',
      'message-added',
      'run-stopped',
    ])
  })

  it('no tools configured: a call is answered, never left open', async () => {
    const { agent } = agentWith([call('anything'), 'done'], { tools: [] })
    const result = await agent.run('go')
    expect(codes(result)).toEqual(['UNKNOWN_TOOL'])
    expect(result.stopReason).toBe('answered')
  })

  it('repeated ids inside one response run once; ids reused in later turns are different calls', async () => {
    const ids = (callId: string, times: number): ScriptedTurn => ({
      calls: Array.from({ length: times }, () => ({ name: 'ok', callId })),
    })
    const { agent } = agentWith([ids('same', 3), ids('same', 1), 'done'])
    const result = await agent.run('go')
    const calls = await agent.store.journal.calls(result.runId)
    expect(calls.map(({ turn, index }) => [turn, index])).toEqual([
      [1, 0],
      [2, 0],
    ])
    expectPaired(result)
  })

  it.each(['length', 'content_filter'] as const)(
    'a turn cut by %s never runs its calls; they are answered',
    async (finishReason) => {
      const { agent } = agentWith([{ text: 'half a', calls: [{ name: 'ok' }], finishReason }])
      const result = await agent.run('go')
      expect(result.stopReason).toBe(finishReason)
      expect(codes(result)).toEqual(['CANCELLED'])
      const [first] = await agent.store.journal.calls(result.runId)
      expect(first?.transitions.map(({ state }) => state)).toEqual(['Requested', 'Cancelled', 'Observed'])
      expectPaired(result)
    },
  )
})

describe('budgets', () => {
  it('maxTokens ends like the iteration limit and names itself', async () => {
    const { agent } = agentWith([call('ok'), call('ok'), 'words'], { maxTokens: 30 })
    expect(await agent.run('go')).toMatchObject({
      stopReason: 'budget_limit',
      text: 'words',
      error: '30 tokens of the run',
    })
  })

  it('sessionLimits that would be no limit are refused', () => {
    for (const sessionLimits of [
      { maxTokns: 10 },
      { maxTokens: Number.NaN },
      { maxTokens: '10' },
      { maxCostUsd: -1 },
    ]) {
      expect(() => agentWith(['one'], { sessionLimits: sessionLimits as never })).toThrow(/sessionLimits: /)
    }
  })

  it('sessionLimits count earlier runs of the conversation', async () => {
    const { agent } = agentWith(['one', call('ok'), 'words'], { sessionLimits: { maxTokens: 30 } })
    const session = await agent.session('s')
    expect(await agent.run('a', { session })).toMatchObject({ stopReason: 'answered' })
    expect(await agent.run('b', { session })).toMatchObject({
      stopReason: 'budget_limit',
      error: '30 tokens of the conversation',
    })
  })

  it('maxCostUsd sums models and tools; a cost nobody knows is over the limit, never zero', async () => {
    const dear = tool({
      name: 'dear',
      description: 'Costs.',
      inputSchema: z.object({}),
      effects: 'read',
      costUsd: 0.5,
      execute: () => 1,
    })
    const priced = agentWith([call('dear'), call('dear'), 'words'], { tools: [dear], maxCostUsd: 1, price: () => 0.1 })
    const result = await priced.agent.run('go')
    expect(result.stopReason).toBe('budget_limit')
    expect(result.costUsd).toBeCloseTo(1.3)
    const unknown = agentWith([call('ok'), 'words'], { maxCostUsd: 1 })
    expect(await unknown.agent.run('go')).toMatchObject({
      stopReason: 'budget_limit',
      costUsd: null,
      error: expect.stringContaining('not known'),
    })
  })

  it('deadlineMs cuts a hanging tool and a hanging model, and the run ends with words', async () => {
    const clock = new ManualClock()
    let started: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (started = resolve))
    const hangs = tool({
      name: 'hangs',
      description: 'Hangs.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => {
        started()
        return new Promise(() => undefined)
      },
    })
    const { agent } = agentWith([call('hangs'), 'words'], { tools: [hangs], clock, deadlineMs: 1000 })
    const running = agent.run('go')
    await begun
    await clock.advance(1000)
    const result = await running
    expect(result).toMatchObject({ stopReason: 'budget_limit', text: 'words' })
    expect(codes(result)).toEqual(['TIMEOUT'])

    const silent = agentWith([() => new Promise<ScriptedTurn>(() => undefined)], { clock, deadlineMs: 1000 })
    const waiting = silent.agent.run('go')
    while (clock.sleeping === 0) await sleep(0)
    await clock.advance(1000)
    expect(await waiting).toMatchObject({ stopReason: 'budget_limit', text: limitText })
  })

  it('run options take the place of the agent limits', async () => {
    const { agent } = agentWith([call('ok'), 'words'], { maxIterations: 40 })
    expect(await agent.run('go', { maxIterations: 1 })).toMatchObject({ stopReason: 'iteration_limit' })
  })
})

describe('a model that fails', () => {
  const overloaded = (retryAfterMs: number | null = null): ScriptedTurn => ({
    error: new ModelCallError('429 too many requests', { retryable: true, retryAfterMs }),
  })

  async function runWith(turns: readonly ScriptedTurn[], waits: readonly number[], streaming = false) {
    const clock = new ManualClock()
    const { agent, model } = agentWith(turns, { clock })
    const running = streaming ? agent.stream('go').result : agent.run('go')
    for (const wait of waits) {
      while (clock.sleeping === 0) await sleep(0)
      await clock.advance(wait)
    }
    return { result: await running, requests: model.requests.length }
  }

  it.each([false, true])('is asked again twice on 429, 5xx and network faults (streaming: %s)', async (streaming) => {
    const network = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    })
    const { result, requests } = await runWith([overloaded(), { error: network }, 'fine'], [500, 1000], streaming)
    expect(result).toMatchObject({ stopReason: 'answered', text: 'fine' })
    expect(requests).toBe(3)
  })

  it('waits as long as the provider asks, up to 60 seconds', async () => {
    const { result } = await runWith([overloaded(60_000), 'fine'], [59_999, 1])
    expect(result.stopReason).toBe('answered')
    const tooLong = await runWith([overloaded(60_001)], [])
    expect(tooLong.result).toMatchObject({ stopReason: 'model_error', error: '429 too many requests' })
  })

  it('reads Retry-After from what provider libraries throw', async () => {
    const error = Object.assign(new Error('slow down'), { statusCode: 503, responseHeaders: { 'Retry-After': '7' } })
    const { result } = await runWith([{ error }, 'fine'], [7000])
    expect(result.stopReason).toBe('answered')
  })

  it('gives up after two retries, at once on other faults, and the conversation stays valid', async () => {
    const spent = await runWith([overloaded(), overloaded(), overloaded()], [500, 1000])
    expect(spent.result).toMatchObject({ stopReason: 'model_error', error: '429 too many requests' })
    const { result, requests } = await runWith(
      [{ error: Object.assign(new Error('bad key'), { statusCode: 401 }) }],
      [],
    )
    expect(result).toMatchObject({ stopReason: 'model_error', error: 'bad key' })
    expect(requests).toBe(1)
    expect(result.messages.map((message) => message.role)).toEqual(['user'])
  })

  it('is not asked again once a part was streamed', async () => {
    const { agent, model } = agentWith([
      { updates: [{ kind: 'text-delta', id: '0', text: 'half' }], error: new Error('unused') },
      'never asked',
    ])
    const result = await agent.stream('go').result
    expect(result).toMatchObject({
      stopReason: 'model_error',
      error: expect.stringContaining('ended before its turn was finished'),
    })
    expect(model.remaining).toBe(1)
  })
})

describe('abort', () => {
  const hanging = (effects: 'read' | 'write', started: () => void) =>
    tool({
      name: 'hangs',
      description: 'Hangs.',
      inputSchema: z.object({}),
      effects,
      execute: () => {
        started()
        return new Promise(() => undefined)
      },
    })

  it.each([
    ['read', 'CANCELLED', 'Observed'],
    ['write', 'IN_DOUBT', 'Unknown'],
  ] as const)(
    'in a hanging %s: the call is answered %s, siblings keep their results, the conversation goes on',
    async (effects, code, state) => {
      const controller = new AbortController()
      let begun = (): void => undefined
      const started = new Promise<void>((resolve) => (begun = resolve))
      const { agent } = agentWith([call('hangs', 'ok'), 'next'], { tools: [ok, hanging(effects, begun)] })
      const session = await agent.session('s')
      const running = agent.run('go', { session, signal: controller.signal })
      await started
      controller.abort()
      const result = await running
      expect(result.stopReason).toBe('aborted')
      expect(codes(result)).toEqual([code, 'success'])
      expectPaired(result)
      expect((await agent.store.journal.calls(result.runId))[0]?.state).toBe(state)
      expect(await agent.run('again', { session })).toMatchObject({ stopReason: 'answered', text: 'next' })
    },
  )

  it('before it starts, and in a model that ignores the signal', async () => {
    const { agent, model } = agentWith(['never'])
    expect(await agent.run('go', { signal: AbortSignal.abort() })).toMatchObject({ stopReason: 'aborted' })
    expect(model.requests).toHaveLength(0)
    const controller = new AbortController()
    const deaf = agentWith([() => (controller.abort(), new Promise<ScriptedTurn>(() => undefined))])
    expect(await deaf.agent.run('go', { signal: controller.signal })).toMatchObject({ stopReason: 'aborted' })
  })

  it('leaves no listener on the caller signal', async () => {
    const controller = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = controller.signal
    controller.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(controller.signal, args)
    }
    controller.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(controller.signal, args)
    }
    const { agent } = agentWith([{ calls: Array.from({ length: 64 }, () => ({ name: 'ok' })) }, 'done'])
    await agent.run('go', { signal: controller.signal })
    expect(listeners).toBe(0)
  })
})

describe('parallel calls', () => {
  it.each([1, 16, 17, 64, 500])(
    '%i of them deliver every event once, results in order; a slow and a throwing one harm nobody',
    async (count) => {
      const mixed = tool({
        name: 'mixed',
        description: 'Slow, throwing or fine.',
        inputSchema: z.object({ n: z.number() }),
        effects: 'read',
        execute: async ({ n }) => {
          if (n % 5 === 1) await sleep(2)
          if (n % 7 === 2) throw new Error('no')
          return n
        },
      })
      const calls = Array.from({ length: count }, (_, n) => ({ name: 'mixed', arguments: { n } }))
      const { agent } = agentWith([{ calls }, 'done'], { tools: [mixed] })
      const stream = agent.stream('go')
      const steps = new Map<string, string[]>()
      for await (const update of stream) {
        if (update.kind !== 'call-moved') continue
        const known = steps.get(update.call.id) ?? []
        known.push(...update.transitions.map(({ state }) => state))
        steps.set(update.call.id, known)
      }
      const result = await stream.result
      expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
      expect(steps.size).toBe(count)
      for (const states of steps.values()) {
        expect(states).toHaveLength(6)
        expect(new Set(states).size).toBe(6)
      }
      expect(
        results(result).map((part): Json =>
          part.status === 'error' ? null : ((part.content[0] as { data: Json }).data ?? null),
        ),
      ).toEqual(Array.from({ length: count }, (_, n) => (n % 7 === 2 ? null : n)))
    },
  )

  it.each([1, 3, 100])('a concurrency cap of %i is kept and everything still runs', async (concurrency) => {
    let running = 0
    let most = 0
    const counted = tool({
      name: 'counted',
      description: 'Counts.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: async () => {
        most = Math.max(most, ++running)
        await sleep(1)
        running--
      },
    })
    const { agent } = agentWith([{ calls: Array.from({ length: 20 }, () => ({ name: 'counted' })) }, 'done'], {
      tools: [counted],
      concurrency,
    })
    const result = await agent.run('go')
    expect(most).toBe(Math.min(20, concurrency))
    expect(codes(result)).toEqual(Array.from({ length: 20 }, () => 'success'))
  })

  it('an abort in the middle of 500 leaves every call answered', async () => {
    const controller = new AbortController()
    let begun = 0
    const slow = tool({
      name: 'slow',
      description: 'Slow.',
      inputSchema: z.object({ n: z.number() }),
      effects: 'read',
      execute: async ({ n }) => {
        if (++begun === 500) controller.abort()
        if (n % 2 === 0) return n
        return new Promise(() => undefined)
      },
    })
    const { agent } = agentWith(
      [{ calls: Array.from({ length: 500 }, (_, n) => ({ name: 'slow', arguments: { n } })) }, 'next'],
      {
        tools: [slow],
      },
    )
    const session = await agent.session('s')
    const result = await agent.run('go', { session, signal: controller.signal })
    expect(result.stopReason).toBe('aborted')
    expectPaired(result)
    expect(codes(result)).toHaveLength(500)
    expect(codes(result).filter((code) => code === 'CANCELLED').length).toBeGreaterThanOrEqual(250)
    expect(await agent.run('again', { session })).toMatchObject({ stopReason: 'answered' })
  })
})

describe('calls the host answers itself', () => {
  const askUser = tool({
    name: 'ask_user',
    description: 'Asks the user.',
    inputSchema: z.object({ question: z.string() }),
  })
  const question: ScriptedTurn = {
    calls: [{ name: 'ask_user', arguments: { question: 'which one?' } }, { name: 'ok' }],
  }

  it('MAF 39: a declaration-only call is handed out, not executed; its sibling runs; the result resumes the run', async () => {
    const { agent, model } = agentWith([question, 'thanks'], { tools: [askUser, ok] })
    const asked = await agent.run('go')
    expect(asked.stopReason).toBe('client_tool_required')
    expect(asked.clientCalls).toMatchObject([{ tool: 'ask_user', arguments: { question: 'which one?' } }])
    const result = await agent.run([asked.clientCalls[0]!.answer({ choice: 'the red one' })])
    expect(result).toMatchObject({ runId: asked.runId, stopReason: 'answered', text: 'thanks' })
    expect(model.requests[1]?.messages.at(-1)?.parts).toMatchObject([
      { status: 'success', content: [{ kind: 'data', data: { choice: 'the red one' } }] },
      { status: 'success' },
    ])
    const [first] = await agent.store.journal.calls(result.runId)
    expect(first?.transitions.map(({ state }) => state)).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'AwaitingClient',
      'Succeeded',
      'Observed',
    ])
    expect((await agent.store.evidence.get(first?.result?.evidenceUri ?? ''))?.value).toEqual({ choice: 'the red one' })
  })

  it('its arguments are validated like any other; a result is taken once; a failure is an answer', async () => {
    const invalid = agentWith([call('ask_user'), 'sorry'], { tools: [askUser] })
    expect(codes(await invalid.agent.run('go'))).toEqual(['INVALID_ARGUMENT'])
    const { agent } = agentWith([question, 'thanks'], { tools: [askUser, ok] })
    const asked = await agent.run('go')
    const failed = await agent.run([asked.clientCalls[0]!.fail('USER_AWAY', 'Nobody is at the desk.')])
    expect(codes(failed)).toEqual(['USER_AWAY', 'success'])
    const again = await agent.run([asked.clientCalls[0]!.answer('late')])
    expect(again.refused).toMatchObject([{ reason: expect.stringContaining('does not wait') }])
  })
})

it('law 10: the caller keeps its messages, tools and options as they were', async () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
      Object.values(Object.freeze(value)).forEach(freeze)
    return value
  }
  const messages = freeze([{ role: 'user' as const, parts: [{ kind: 'text' as const, text: 'go' }] }])
  const tools = Object.freeze([ok, bad])
  const options = Object.freeze({ model: new ScriptedChatClient([call('ok', 'bad'), 'done']), tools })
  const runOptions = Object.freeze({ principal: freeze({ id: 'ann' }) })
  const result = await new Agent(options).run(messages, runOptions)
  expect(result.stopReason).toBe('answered')
  expect(tools).toEqual([ok, bad])
  expect(messages).toHaveLength(1)
})

it('a request handed to a client does not change afterwards', async () => {
  const seen: ChatRequest[] = []
  const { agent } = agentWith([
    (request) => {
      seen.push(request)
      return call('ok')
    },
    'done',
  ])
  await agent.run('go')
  expect(seen[0]?.messages).toHaveLength(1)
})
