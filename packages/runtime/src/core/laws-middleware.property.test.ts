import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  memoryStore,
  tool,
  type CallRecord,
  type ContextProvider,
  type FunctionContext,
  type Json,
  type Message,
  type Middleware,
  type Next,
  type Policy,
  type RecordedStep,
  type RunContext,
  type RunResult,
  type StopReason,
  type Tool,
} from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const stopReasons: readonly StopReason[] = [
  'approval_required',
  'client_tool_required',
  'answered',
  'iteration_limit',
  'error_limit',
  'terminated',
  'aborted',
  'model_error',
]

const secret = 'secret-of-the-middleware'

/** What a piece of middleware does, by its kind. Each does the same whenever it is asked the same. */
const functionDeeds = [
  'passes',
  'passes late',
  'passes, then changes the result',
  'answers itself',
  'replaces the arguments',
  'asks a person',
  'refuses',
  'ends the run before',
  'ends the run after',
  'throws before',
  'throws after',
  'goes on twice',
  'does not wait',
  'swallows everything',
  'adds a tool',
  'removes a tool',
  'says something',
] as const
const chatDeeds = [
  'passes',
  'passes late',
  'asks twice',
  'answers itself',
  'changes what is asked',
  'shouts',
  'drops calls',
  'throws before',
  'throws after',
  'ends the run',
  'swallows everything',
  'adds a tool',
] as const
const agentDeeds = [
  'passes',
  'passes late',
  'drives twice',
  'answers itself',
  'changes the answer',
  'throws before',
  'throws after',
  'ends the run',
  'swallows everything',
  'adds a message',
] as const

const someDeed = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('function' as const), deed: fc.constantFrom(...functionDeeds) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('chat' as const), deed: fc.constantFrom(...chatDeeds) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('agent' as const), deed: fc.constantFrom(...agentDeeds) }) },
)

const somePiece = fc.record({
  deed: someDeed,
  guard: fc.boolean(),
  /** Of which tool; of every one where there is none. */
  of: fc.option(fc.constantFrom('read', 'write', 'gated', 'hosted'), { nil: undefined }),
})

type Piece = typeof somePiece extends fc.Arbitrary<infer T> ? T : never

const someCall = fc.record({
  name: fc.constantFrom('read', 'read', 'write', 'write', 'gated', 'hosted', 'added', 'nope'),
  arguments: fc.oneof(
    { weight: 9, arbitrary: fc.record({ n: fc.integer({ min: 0, max: 3 }) }) },
    { weight: 1, arbitrary: fc.constantFrom('{', '[]', '{"n":"x"}') },
  ),
})

const someScript = fc.record({
  turns: fc.array(fc.array(someCall, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  own: fc.array(somePiece, { maxLength: 4 }),
  ofRun: fc.array(somePiece, { maxLength: 2 }),
  ofProvider: fc.array(somePiece, { maxLength: 2 }),
  providerFails: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('first', 'resumed') },
  ),
  policy: fc.constantFrom('allows', 'allows', 'asks for 3', 'denies 3'),
  concurrency: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 3 }),
  decisions: fc.array(fc.constantFrom('approve', 'approve', 'approve', 'deny', 'leave'), {
    minLength: 8,
    maxLength: 8,
  }),
  abortAt: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null, freq: 6 }),
})

type Script = typeof someScript extends fc.Arbitrary<infer T> ? T : never

type Run = {
  readonly callId: string
  readonly args: Json
  readonly wasRecorded: boolean
  readonly wasExecuting: boolean
}

type Deeds = { readonly [Deed in string]: (context: never, next: Next) => void | Promise<void> }

const extra = tool({
  name: 'added',
  description: 'Added.',
  inputSchema: z.object({ n: z.number() }),
  effects: 'read',
  execute: () => 'added ran',
})

async function swallowed(next: Next): Promise<void> {
  await next().catch(() => undefined)
}

const deedsOfFunctions: Deeds = {
  passes: (_, next) => next(),
  'passes late': async (_, next) => {
    await Promise.resolve()
    await next()
    await Promise.resolve()
  },
  'passes, then changes the result': async (context: FunctionContext, next) => {
    await next()
    context.result = { changed: context.result?.status ?? 'nothing' }
  },
  'answers itself': (context: FunctionContext) => {
    context.result = 'cached'
  },
  'replaces the arguments': async (context: FunctionContext, next) => {
    await context.replaceArgs({ n: 3 })
    await next()
  },
  'asks a person': (context: FunctionContext, next) => {
    context.requireApproval({ reason: 'because' })
    return next()
  },
  refuses: (context: FunctionContext) => context.reject('Not now.'),
  'ends the run before': (context: FunctionContext) => context.terminate('enough'),
  'ends the run after': async (context: FunctionContext, next) => {
    await next()
    context.terminate()
  },
  'throws before': () => {
    throw new Error(secret)
  },
  'throws after': async (_, next) => {
    await next()
    throw new Error(secret)
  },
  'goes on twice': async (_, next) => {
    await next()
    await next()
  },
  'does not wait': (_, next) => {
    void next()
  },
  'swallows everything': async (context: FunctionContext, next) => {
    await swallowed(next)
    context.result ??= 'never mind'
  },
  'adds a tool': async (context: FunctionContext, next) => {
    context.tools.add(extra)
    await next()
  },
  'removes a tool': async (context: FunctionContext, next) => {
    context.tools.remove('write')
    await next()
  },
  'says something': async (context: FunctionContext, next) => {
    if (context.call.turn === 1) context.inject('by the way')
    await next()
  },
}

type Turn = Parameters<Parameters<typeof chatMiddleware>[0]>[0]

const deedsOfChat: Deeds = {
  passes: (_, next) => next(),
  'passes late': async (_, next) => {
    await Promise.resolve()
    await next()
  },
  'asks twice': async (_, next) => {
    await next()
    await next()
  },
  'answers itself': (context: Turn) => {
    context.result = { parts: [{ kind: 'text', text: 'cached' }], finishReason: 'stop' }
  },
  'changes what is asked': async (context: Turn, next) => {
    context.request = { ...context.request, instructions: 'other' }
    await next()
  },
  shouts: async (context: Turn, next) => {
    context.stream.map((piece) => (piece.kind === 'text-delta' ? { ...piece, text: piece.text.toUpperCase() } : piece))
    await next()
  },
  'drops calls': async (context: Turn, next) => {
    context.stream.map((piece) =>
      piece.kind === 'part' && piece.part.kind === 'function_call' && piece.part.name === 'read' ? undefined : piece,
    )
    await next()
  },
  'throws before': () => {
    throw new Error(secret)
  },
  'throws after': async (_, next) => {
    await next()
    throw new Error(secret)
  },
  'ends the run': async (context: Turn, next) => {
    await next()
    if (context.turn === 2) context.terminate()
  },
  'swallows everything': (_, next) => swallowed(next),
  'adds a tool': async (context: Turn, next) => {
    context.tools.add(extra)
    await next()
  },
}

type Whole = Parameters<Parameters<typeof agentMiddleware>[0]>[0]

const deedsOfAgents: Deeds = {
  passes: (_, next) => next(),
  'passes late': async (_, next) => {
    await Promise.resolve()
    await next()
    await Promise.resolve()
  },
  'drives twice': async (context: Whole, next) => {
    await next()
    if (context.result?.stopReason !== 'answered') return
    context.addMessage('again')
    await next()
  },
  'answers itself': (context: Whole) => {
    context.result = 'cached'
  },
  'changes the answer': async (context: Whole, next) => {
    await next()
    if (context.result?.stopReason === 'answered') context.result = 'changed'
  },
  'throws before': () => {
    throw new Error(secret)
  },
  'throws after': async (_, next) => {
    await next()
    throw new Error(secret)
  },
  'ends the run': async (context: Whole, next) => {
    await next()
    context.terminate()
  },
  'swallows everything': (_, next) => swallowed(next),
  'adds a message': async (context: Whole, next) => {
    context.addMessage('one more thing')
    await next()
  },
}

/** Everything that can be reached from a context by reading properties, getters and maps included. */
function reachable(root: object): ReadonlySet<object> {
  const seen = new Set<object>()
  const open: object[] = [root]
  for (let at = open.pop(); at !== undefined && seen.size < 5_000; at = open.pop()) {
    if (seen.has(at) || at === Object.prototype || at === Function.prototype) continue
    seen.add(at)
    if (at instanceof Map) for (const value of at.values()) if (isObject(value)) open.push(value)
    for (
      let above: object | null = at;
      above !== null && above !== Object.prototype;
      above = Object.getPrototypeOf(above)
    ) {
      for (const key of Reflect.ownKeys(above)) {
        try {
          const value: unknown = Reflect.get(at, key)
          if (isObject(value)) open.push(value)
        } catch {
          // Not to be read here.
        }
      }
    }
  }
  return seen
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}

function bench(script: Script) {
  const recorded = new Set<string>()
  const runs: Run[] = []
  const forbidden = new Set<object>()
  const looked = { contexts: 0, leaks: [] as string[] }
  const abort = new AbortController()
  const input = z.object({ n: z.number().int() })
  const noting = (name: string, effects: 'read' | 'write', needsApproval = false): Tool =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: input,
      effects,
      needsApproval,
      execute: (args, context) => {
        const { id, state } = context.call
        runs.push({ callId: id, args: { ...args }, wasRecorded: recorded.has(id), wasExecuting: state === 'Executing' })
        if (runs.length === script.abortAt) abort.abort()
        if (args.n === 2) throw new Error('secret-of-the-tool')
        return { [name]: args.n }
      },
    })
  const tools = [
    noting('read', 'read'),
    noting('write', 'write'),
    noting('gated', 'write', true),
    tool({ name: 'hosted', description: 'The host answers.', inputSchema: input }),
  ]
  for (const one of tools) forbidden.add(one)
  /** Law 1: no context leads to a tool, to what executes one, or to the pipeline. */
  const look = (context: RunContext): void => {
    if (looked.contexts++ > 2) return
    for (const found of reachable(context)) {
      if (forbidden.has(found)) looked.leaks.push('a tool')
      for (const name of ['execute', 'perform', 'callable', 'passageOf', 'journal', 'append'])
        if (name in found) looked.leaks.push(name)
    }
  }
  const pieceOf = ({ deed: { kind, deed }, guard, of }: Piece): Middleware => {
    const options = { name: `${kind}: ${deed}`, guard }
    const deeds = { function: deedsOfFunctions, chat: deedsOfChat, agent: deedsOfAgents }[kind]
    const handle = deeds[deed] ?? ((_: never, next: Next) => next())
    switch (kind) {
      case 'function':
        return functionMiddleware((context, next) => {
          look(context)
          return of === undefined || of === context.tool.name ? handle(context as never, next) : next()
        }, options)
      case 'chat':
        return chatMiddleware((context, next) => {
          look(context)
          return handle(context as never, next)
        }, options)
      case 'agent':
        return agentMiddleware((context, next) => {
          look(context)
          return handle(context as never, next)
        }, options)
      default:
        return kind satisfies never
    }
  }
  const provider: ContextProvider = {
    name: 'provider',
    beforeRun(context) {
      look(context)
      if (script.providerFails === (context.resumed ? 'resumed' : 'first')) throw new Error(secret)
      context.addMessages('remembered')
      context.addMiddleware(...script.ofProvider.filter(({ deed }) => deed.kind !== 'agent').map(pieceOf))
    },
  }
  const recorder = {
    record(steps: readonly RecordedStep[]) {
      for (const { call, transitions } of steps) {
        for (const { state, detail } of transitions) {
          const isCarriedOut = !(typeof detail === 'object' && detail !== null && 'executed' in detail)
          if (state === 'Executing' && isCarriedOut) recorded.add(call.id)
        }
      }
    },
  }
  const policy: Policy = {
    decide: ({ arguments: args }) => {
      if (args['n'] !== 3 || script.policy === 'allows') return { effect: 'allow', rules: [] }
      return { effect: script.policy === 'denies 3' ? 'deny' : 'ask', rules: ['three'] }
    },
  }
  return { tools, recorder, runs, looked, abort, provider, policy, pieceOf }
}

type Played = {
  readonly results: readonly RunResult[]
  readonly calls: readonly CallRecord[]
  readonly conversation: readonly Message[]
  readonly runs: readonly Run[]
  readonly looked: { readonly contexts: number; readonly leaks: readonly string[] }
  readonly pending: number
}

async function play(script: Script, streaming: boolean): Promise<Played> {
  const { tools, recorder, runs, looked, abort, provider, policy, pieceOf } = bench(script)
  const store = memoryStore()
  let next = 0
  const turns = script.turns.map((calls): ScriptedTurn => ({ text: 'so', calls }))
  const agent = new Agent({
    model: new ScriptedChatClient([...turns, ...Array.from({ length: 24 }, () => 'done')]),
    tools,
    store,
    recorder,
    policy,
    maxIterations: 8,
    contextProviders: [provider],
    middleware: deepFreeze(script.own.map(pieceOf)),
    ids: { next: (prefix) => `${prefix}_${String(++next).padStart(4, '0')}` },
    principal: deepFreeze({ id: 'tester' }),
    ...(script.concurrency === undefined ? {} : { concurrency: script.concurrency }),
  })
  const session = await agent.session('conversation')
  const options = { session, signal: abort.signal, middleware: deepFreeze(script.ofRun.map(pieceOf)) }
  const step = async (input: Parameters<Agent['run']>[0]): Promise<RunResult> => {
    if (!streaming) return agent.run(input, options)
    const stream = agent.stream(input, options)
    for await (const update of stream) expect(update.kind).toMatch(/^[a-z-]+$/)
    return stream.result
  }
  const results = [await step(deepFreeze([{ role: 'user', parts: [{ kind: 'text', text: 'go' }] }]))]
  let decision = 0
  for (let result = results[0]; result !== undefined && results.length < 12; result = results.at(-1)) {
    if (result.stopReason === 'client_tool_required') {
      results.push(await step(deepFreeze(result.clientCalls.map((call) => call.answer({ from: 'the host' })))))
      continue
    }
    if (result.stopReason !== 'approval_required') break
    const choices = result.approvals.map(() => script.decisions[decision++ % script.decisions.length])
    if (choices.includes('leave')) break
    const answers = result.approvals.map((approval, index) =>
      choices[index] === 'approve' ? approval.approve({ by: 'ann' }) : approval.deny({ by: 'ann', reason: 'no' }),
    )
    results.push(await step(deepFreeze(answers)))
  }
  const runId = results[0]?.runId ?? ''
  return {
    results,
    runs,
    looked,
    calls: await store.journal.calls(runId),
    conversation: await session.messages(),
    pending: (await store.approvals.list({ runId, status: 'pending' })).length,
  }
}

/** Law 10 rides along: what the caller hands over cannot be changed, and a change would throw. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

function walksOf(calls: readonly CallRecord[]): unknown {
  return calls.map(({ tool: name, transitions, result }) => [
    name,
    result?.errorCode ?? result?.status,
    ...transitions.map(({ state, detail }) => [state, detail]),
  ])
}

const isSuspended = (reason: StopReason | undefined): boolean =>
  reason === 'approval_required' || reason === 'client_tool_required'

const many = { numRuns: 100 }

describe('the laws with middleware of every kind, context providers and tools that come and go', () => {
  it('law 1: nothing runs a tool but the pipeline, recorded before it began; no context leads around it', async () => {
    let executions = 0
    let contexts = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { runs, calls, looked } = await play(script, false)
        executions += runs.length
        contexts += looked.contexts
        expect(looked.leaks).toEqual([])
        for (const run of runs) {
          expect(run).toMatchObject({ wasRecorded: true, wasExecuting: true })
          const call = calls.find(({ id }) => id === run.callId)
          // What ran is what was judged last.
          expect(call?.arguments).toEqual(run.args)
        }
        // Law 3 rides along: no call runs twice.
        expect(new Set(runs.map(({ callId }) => callId)).size).toBe(runs.length)
      }),
      many,
    )
    expect(executions).toBeGreaterThan(20)
    expect(contexts).toBeGreaterThan(200)
  })

  it('law 2: every call has one answer, right after its message, unless the run is suspended', async () => {
    let looked = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { results, conversation, calls, pending } = await play(script, false)
        const suspended = isSuspended(results.at(-1)?.stopReason)
        for (const [index, message] of conversation.entries()) {
          if (message.role !== 'assistant') continue
          const asked = message.parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : []))
          if (asked.length === 0 || (suspended && index === conversation.length - 1)) continue
          looked += asked.length
          const answer = conversation[index + 1]
          expect(answer?.role).toBe('tool')
          expect(answer?.parts.map((part) => (part.kind === 'function_result' ? part.callId : '?'))).toEqual(asked)
        }
        if (suspended) return
        expect(pending).toBe(0)
        for (const { state, result } of calls) {
          expect(['Observed', 'Unknown']).toContain(state)
          expect(result).not.toBeNull()
        }
      }),
      many,
    )
    expect(looked).toBeGreaterThan(50)
  })

  it('law 4 for arguments: what a person or policy had to allow ran only after that', async () => {
    let gated = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { runs, calls } = await play(script, false)
        for (const { callId, args } of runs) {
          const call = calls.find(({ id }) => id === callId)
          const isThree = (args as { n: number }).n === 3
          expect(script.policy === 'denies 3' && isThree).toBe(false)
          if (call?.tool !== 'gated' && !(script.policy === 'asks for 3' && isThree)) continue
          gated++
          expect(call?.transitions.map(({ state }) => state)).toContain('Approved')
        }
      }),
      many,
    )
    expect(gated).toBeGreaterThan(1)
  })

  it('law 5: streaming gives the same messages, transitions, effects and results', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const whole = await play(script, false)
        const streamed = await play(script, true)
        expect(streamed.conversation).toEqual(whole.conversation)
        expect(walksOf(streamed.calls)).toEqual(walksOf(whole.calls))
        expect(streamed.runs).toEqual(whole.runs)
        const ends = ({ results }: Played): unknown =>
          results.map(({ stopReason, text, error, messages }) => [stopReason, text, error, messages])
        expect(ends(streamed)).toEqual(ends(whole))
      }),
      many,
    )
  })

  it('law 6: a run ends with a named stop reason and never throws for what middleware does', async () => {
    const seen = new Set<string>()
    const look = async (script: Script): Promise<void> => {
      for (const { stopReason } of (await play(script, false)).results) {
        seen.add(stopReason)
        expect(stopReasons).toContain(stopReason)
      }
    }
    await fc.assert(fc.asyncProperty(someScript, look), many)
    // Which reasons were met is asked of a fixed sample, so that it does not depend on today's luck.
    for (const script of fc.sample(someScript, { numRuns: 120, seed: 7 })) await look(script)
    expect([...seen].toSorted()).toEqual(
      expect.arrayContaining([
        'aborted',
        'answered',
        'approval_required',
        'client_tool_required',
        'model_error',
        'terminated',
      ]),
    )
  })

  it('law 7: what a failing guard is around never happens, or is never shown', async () => {
    let failures = 0
    await fc.assert(
      fc.asyncProperty(someScript, fc.constantFrom('before', 'after'), async (script, when) => {
        // The guard stands innermost: whatever the others do, they are around it.
        const guard: Piece = {
          deed: { kind: 'function', deed: when === 'before' ? 'throws before' : 'throws after' },
          guard: true,
          of: undefined,
        }
        const { runs, calls, results } = await play({ ...script, ofProvider: [...script.ofProvider, guard] }, false)
        if (when === 'before') expect(runs).toEqual([])
        for (const { callId } of runs) {
          failures++
          const call = calls.find(({ id }) => id === callId)
          if (call?.result === null) continue
          expect(['RESULT_WITHHELD', 'IN_DOUBT']).toContain(call?.result?.errorCode)
          expect(['terminated', 'aborted']).toContain(results.at(-1)?.stopReason)
        }
      }),
      many,
    )
    expect(failures).toBeGreaterThan(5)
  })

  it('law 8 for texts: nothing that middleware or a tool throws reaches the model', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const shown = JSON.stringify((await play(script, false)).conversation)
        expect(shown).not.toContain('secret-of')
        expect(shown).not.toMatch(/\bat .+:\d+:\d+/)
      }),
      many,
    )
  })
})
