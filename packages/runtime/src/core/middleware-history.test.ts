import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  chatMiddleware,
  functionMiddleware,
  memoryStore,
  textOf,
  tool,
  userMessage,
  type ContentPart,
  type HistoryHook,
  type Message,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const look = tool({
  name: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string().optional() }),
  effects: 'read',
  execute: ({ at }) => `seen ${at ?? 'nothing'}`,
})

/** A conversation of some turns with calls and their results; ids are reused now and then. */
const someConversation = fc
  .array(
    fc.record({
      ask: fc.boolean(),
      text: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      reasoning: fc.boolean(),
      calls: fc.uniqueArray(fc.constantFrom('1', '2', '3', 'x'), { maxLength: 3 }),
      split: fc.boolean(),
      provider: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((turns) =>
    turns.flatMap(({ ask, text, reasoning, calls, split, provider }, turn): readonly Message[] => {
      const parts: ContentPart[] = reasoning ? [{ kind: 'reasoning', text: 'hm' }] : []
      if (text !== undefined) parts.push({ kind: 'text', text })
      if (provider) {
        parts.push(
          { kind: 'function_call', callId: 'p', name: 'search', arguments: '{}', providerExecuted: true },
          { kind: 'function_result', callId: 'p', name: 'search', call: null, status: 'success', content: [] },
        )
      }
      for (const callId of calls)
        parts.push({ kind: 'function_call', callId, name: 'look', arguments: `{"at":"${turn}"}` })
      const results = calls.map((callId, index): ContentPart => ({
        kind: 'function_result',
        callId,
        name: 'look',
        call: `run/${turn}/${index}` as never,
        status: 'success',
        content: [{ kind: 'text', text: `of turn ${turn}` }],
      }))
      const tools: readonly Message[] =
        results.length === 0
          ? []
          : split && results.length > 1
            ? results.map((part) => ({ role: 'tool', parts: [part] }))
            : [{ role: 'tool', parts: results }]
      const answer: readonly Message[] = parts.length === 0 ? [] : [{ role: 'assistant', parts }]
      return [...(ask ? [userMessage('go on')] : []), ...answer, ...tools]
    }),
  )

/** What a selection does: keeps, drops, repeats or copies each message, in order or not. */
const someSelection = fc.record({
  keep: fc.infiniteStream(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'twice', 'copy', 'fewer parts' as const)),
  order: fc.constantFrom('same', 'same', 'reversed', 'last only' as const),
})

type Selection = typeof someSelection extends fc.Arbitrary<infer T> ? T : never

function select(messages: readonly Message[], { keep, order }: Selection): readonly Message[] {
  const chosen = messages.flatMap((message): readonly Message[] => {
    switch (keep.next().value) {
      case 'drop':
        return []
      case 'twice':
        return [message, message]
      case 'copy':
        return [structuredClone(message)]
      case 'fewer parts':
        return [{ ...message, parts: message.parts.slice(1) }]
      default:
        return [message]
    }
  })
  if (order === 'reversed') return chosen.toReversed()
  return order === 'last only' ? chosen.slice(-3) : chosen
}

/** Every call of a message has exactly one result right after it, its own, and every result has its call. */
function requirePairs(messages: readonly Message[]): number {
  let pairs = 0
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined) break
    expect(message.parts.length).toBeGreaterThan(0)
    if (message.role === 'tool') {
      let before = index
      while (messages[before]?.role === 'tool') before--
      expect(messages[before]?.role).toBe('assistant')
      continue
    }
    if (message.role !== 'assistant') continue
    const results: ContentPart[] = []
    for (let next = index + 1; messages[next]?.role === 'tool'; next++) results.push(...(messages[next]?.parts ?? []))
    const calls = message.parts.flatMap((part) =>
      part.kind === 'function_call' && part.providerExecuted !== true ? [part] : [],
    )
    expect(results.map((part) => ('callId' in part ? part.callId : '?')).toSorted()).toEqual(
      calls.map(({ callId }) => callId).toSorted(),
    )
    for (const call of calls) {
      const result = results.find((part) => 'callId' in part && part.callId === call.callId)
      const turn = (JSON.parse(call.arguments) as { at: string }).at
      expect(result?.kind === 'function_result' && textOf(result.content as readonly ContentPart[])).toBe(
        `of turn ${turn}`,
      )
      pairs++
    }
  }
  return pairs
}

/** What the model is shown of a stored conversation. */
async function shownWith(hooks: { history?: HistoryHook; compaction?: HistoryHook }, stored: readonly Message[]) {
  const model = new ScriptedChatClient(['done'])
  const store = memoryStore()
  const agent = new Agent({ model, tools: [look], store, ...hooks })
  await agent.run([...stored, userMessage('now')])
  return model.requests[0]?.messages ?? []
}

describe('history and compaction never split a call from its result', () => {
  it('whatever a hook selects of whatever conversation, with ids used again', async () => {
    let pairs = 0
    let dropped = 0
    await fc.assert(
      fc.asyncProperty(someConversation, someSelection, fc.boolean(), async (stored, selection, compacts) => {
        const hook: HistoryHook = (messages) => select(messages, selection)
        const shown = await shownWith(compacts ? { compaction: hook } : { history: hook }, stored)
        pairs += requirePairs(shown)
        dropped += stored.length + 1 - shown.length
      }),
      { numRuns: 1_000 },
    )
    expect(pairs).toBeGreaterThan(200)
    expect(dropped).toBeGreaterThan(200)
  })

  it('a hook that keeps everything changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(someConversation, async (stored) => {
        expect(await shownWith({ history: (messages) => messages }, stored)).toEqual([...stored, userMessage('now')])
      }),
      { numRuns: 200 },
    )
  })

  it('a call whose arguments were shortened keeps its result', async () => {
    const stored: readonly Message[] = [
      { role: 'assistant', parts: [{ kind: 'function_call', callId: '1', name: 'look', arguments: '{"at":"long"}' }] },
      {
        role: 'tool',
        parts: [
          {
            kind: 'function_result',
            callId: '1',
            name: 'look',
            call: 'run/1/0' as never,
            status: 'success',
            content: [{ kind: 'text', text: 'seen' }],
          },
        ],
      },
    ]
    const shown = await shownWith(
      {
        compaction: (messages) =>
          messages.map((message) => ({
            ...message,
            parts: message.parts.map((part) => (part.kind === 'function_call' ? { ...part, arguments: '{}' } : part)),
          })),
      },
      stored,
    )
    expect(shown.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
  })

  it('MAF 42: compaction is asked before every turn, after the history, and what is stored stays whole', async () => {
    const log: string[] = []
    const model = new ScriptedChatClient([{ calls: [{ name: 'look' }] }, { calls: [{ name: 'look' }] }, 'done'])
    const store = memoryStore()
    const agent = new Agent({
      model,
      tools: [look],
      store,
      history: (messages) => {
        log.push(`history ${messages.length}`)
        return messages.slice(-3)
      },
      compaction: async (messages) => {
        await Promise.resolve()
        log.push(`compaction ${messages.length}`)
        return messages.slice(-2)
      },
    })
    const result = await agent.run('go')
    expect(result.stopReason).toBe('answered')
    expect(log).toEqual(['history 1', 'compaction 1', 'history 3', 'compaction 3', 'history 5', 'compaction 2'])
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['assistant', 'tool'],
      ['assistant', 'tool'],
    ])
    expect((await store.sessions.get(result.sessionId))?.messages).toHaveLength(6)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no history')
      },
    ],
    ['gives no list', () => 'everything'],
    ['gives a list of nothing', () => [null]],
    ['gives messages without parts', () => [{ role: 'user' }]],
  ])('a hook that %s fails the turn: the model is not asked', async (_, hook) => {
    for (const place of ['history', 'compaction'] as const) {
      const model = new ScriptedChatClient(['done'])
      const agent = new Agent({ model, [place]: hook as unknown as HistoryHook })
      const result = await agent.run('go')
      expect(result.stopReason).toBe('model_error')
      expect(result.error).toContain('history hook failed')
      expect(model.requests).toHaveLength(0)
    }
  })

  it('a hook that hangs does not outlast its run, and the model is never shown what nobody chose', async () => {
    const hangs: HistoryHook = () => new Promise(() => undefined)
    const abort = new AbortController()
    const model = new ScriptedChatClient(['done', 'done'])
    const aborted = new Agent({ model, history: hangs }).run('go', { signal: abort.signal })
    await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    expect((await aborted).stopReason).toBe('aborted')

    const clock = new ManualClock()
    const late = new Agent({ model, history: hangs, deadlineMs: 1_000, clock }).run('go')
    await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(1_000)
    expect((await late).stopReason).toBe('budget_limit')
    expect(model.requests).toHaveLength(0)
  })

  it('the time a hook took is no longer there for the model', async () => {
    const clock = new ManualClock()
    const model = new ScriptedChatClient([() => new Promise<ScriptedTurn>(() => undefined)])
    const agent = new Agent({
      model,
      clock,
      deadlineMs: 1_000,
      history: async (messages) => {
        await clock.sleep(900)
        return messages
      },
    })
    const running = agent.run('go')
    await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(900)
    await clock.advance(100)
    expect((await running).stopReason).toBe('budget_limit')
  })
})

describe('messages said to a run that is under way', () => {
  it('MAF 108: injected messages wait for the results of the turn, the run goes on for new ones, a session is needed', async () => {
    const model = new ScriptedChatClient([{ calls: [{ name: 'look' }, { name: 'look' }] }, 'one', 'two', 'three'])
    const store = memoryStore()
    const agent: Agent = new Agent({
      model,
      store,
      tools: [look],
      middleware: [
        functionMiddleware(async (context, next) => {
          context.inject(`before ${context.call.index}`)
          await next()
        }),
        chatMiddleware(async (context, next) => {
          await next()
          if (context.turn === 2) agent.inject(context.session, 'from outside')
        }),
      ],
    })
    const session = await agent.session('talk')
    const result = await agent.run('go', { session })
    expect(result).toMatchObject({ stopReason: 'answered', text: 'two' })
    expect(result.messages.map(({ role, parts }) => `${role} ${textOf(parts)}`)).toEqual([
      'user go',
      'assistant ',
      'tool ',
      'user before 0',
      'user before 1',
      'assistant one',
      'user from outside',
      'assistant two',
    ])
    // Said when nothing runs: it waits for the next run of that conversation, and of no other.
    agent.inject(session, 'later')
    expect(textOf((await agent.run('else')).messages[0]?.parts ?? [])).toBe('else')
    const next = await agent.with({ model: new ScriptedChatClient(['four']) }).run('again', { session })
    expect(next.messages.map(({ parts }) => textOf(parts))).toEqual(['again', 'later', 'four'])
  })

  it('only what a user or the system says can be injected, and not without end', () => {
    const agent = new Agent({ model: new ScriptedChatClient([]) })
    const session = { id: 'full' }
    expect(() => agent.inject(session, { role: 'assistant', parts: [] })).toThrow("is the user's")
    for (let index = 0; index < 1_000; index++) agent.inject(session, 'one more')
    expect(() => agent.inject(session, 'too much')).toThrow('wait for this conversation already')
  })

  it('a run that waits for a person takes an injected message only after the results', async () => {
    const gated = tool({
      name: 'gated',
      description: 'Gated.',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => 'ran',
    })
    const model = new ScriptedChatClient([{ calls: [{ name: 'gated' }] }, 'done'])
    const agent = new Agent({ model, tools: [gated] })
    const session = await agent.session('waits')
    const asked = await agent.run('go', { session })
    agent.inject(session, 'hurry')
    const result = await agent.run(
      asked.approvals.map((approval) => approval.approve({ by: 'ann' })),
      { session },
    )
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  })
})
