import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  advance,
  Agent,
  memoryStore,
  ModelCallError,
  tool,
  ToolError,
  type CallRecord,
  type Clock,
  type Message,
  type RecordedStep,
  type RunResult,
  type StopReason,
} from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const stopReasons: readonly StopReason[] = [
  'approval_required',
  'client_tool_required',
  'in_doubt',
  'answered',
  'iteration_limit',
  'call_limit',
  'budget_limit',
  'error_limit',
  'unknown_tool',
  'terminated',
  'aborted',
  'length',
  'content_filter',
  'model_error',
]

type Fault = 'none' | 'throws' | 'rejects' | 'coded' | 'cycle' | 'envelope' | 'null' | 'throws-nothing'

/** Everything that ran, with what the recorder had heard of it by then. */
type Run = { readonly callId: string; readonly wasRecorded: boolean }

/** Time passes only by waiting, and waiting takes no time: whoever hangs under a deadline meets it at once. */
class HurriedClock implements Clock {
  #now = Date.UTC(2026, 0, 1)

  now(): number {
    return this.#now
  }

  async sleep(ms: number): Promise<void> {
    this.#now += ms
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

function workbench(onRun: (count: number) => void) {
  const recorded = new Set<string>()
  const runs: Run[] = []
  const recorder = {
    record(steps: readonly RecordedStep[]) {
      for (const { call, transitions } of steps) {
        if (transitions.some(({ state }) => state === 'Executing')) recorded.add(call.id)
      }
    },
  }
  const input = z.object({ n: z.number().int(), fault: z.string() })
  const work = (args: { n: number; fault: string }, callId: string): unknown => {
    runs.push({ callId, wasRecorded: recorded.has(callId) })
    onRun(runs.length)
    switch (args.fault as Fault) {
      case 'throws':
        throw new Error('secret-of-the-tool /root/secret/path')
      case 'rejects':
        return Promise.reject(new Error('secret-of-the-tool'))
      case 'coded':
        throw new ToolError('QUOTA_SPENT', 'The quota of today is spent.')
      case 'throws-nothing':
        // oxlint-disable-next-line no-throw-literal -- tools written in JavaScript do this
        throw undefined
      case 'cycle': {
        const loop: Record<string, unknown> = {}
        loop['self'] = loop
        return loop
      }
      case 'envelope':
        return { status: 'error', data: null, summary: 'It did not work.', errorCode: 'OWN_CODE', retryable: true }
      case 'null':
        return null
      case 'none':
        return { doubled: args.n * 2 }
      default:
        return args.n
    }
  }
  const tools = [
    tool({
      name: 'read_now',
      description: 'Reads at once.',
      inputSchema: input,
      effects: 'read',
      execute: (args, context) => work(args, context.call.id),
    }),
    tool({
      name: 'read_later',
      description: 'Reads after a tick.',
      inputSchema: input,
      effects: 'read',
      execute: async (args, context) => {
        await Promise.resolve()
        return work(args, context.call.id)
      },
    }),
    tool({
      name: 'write_now',
      description: 'Writes.',
      inputSchema: input,
      effects: 'write',
      execute: (args, context) => work(args, context.call.id),
    }),
    tool({
      name: 'write_gated',
      description: 'Writes when a person agrees.',
      inputSchema: input,
      effects: 'write',
      needsApproval: true,
      execute: (args, context) => work(args, context.call.id),
    }),
    tool({
      name: 'write_judged',
      description: 'Asks for approval by its arguments, or fails to say.',
      inputSchema: input,
      effects: 'write',
      needsApproval: ({ arguments: args }) => {
        if (args['fault'] === 'throws') throw new Error('the rule broke')
        return args['fault'] === 'coded'
      },
      execute: (args, context) => work(args, context.call.id),
    }),
  ]
  const hanging = (name: string, effects: 'read' | 'write') =>
    tool({
      name,
      description: 'Hangs until its deadline.',
      inputSchema: input,
      effects,
      timeoutMs: 50,
      execute: (_, context) => {
        runs.push({ callId: context.call.id, wasRecorded: recorded.has(context.call.id) })
        onRun(runs.length)
        return new Promise(() => undefined)
      },
    })
  const declared = tool({ name: 'ask_host', description: 'The host answers.', inputSchema: input })
  const limited = tool({
    name: 'read_limited',
    description: 'May be called twice in a run.',
    inputSchema: input,
    effects: 'read',
    perRun: { maxInvocations: 2 },
    execute: (args, context) => work(args, context.call.id),
  })
  return {
    tools: [...tools, hanging('read_hangs', 'read'), hanging('write_hangs', 'write'), declared, limited],
    recorder,
    runs,
    recorded,
  }
}

const faults: readonly Fault[] = ['none', 'throws', 'rejects', 'coded', 'cycle', 'envelope', 'null', 'throws-nothing']

const someArguments = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      n: fc.integer({ min: 0, max: 9 }),
      fault: fc.constantFrom('none', 'none', 'none', 'none', ...faults),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '{"n":1,',
      '[1]',
      'null',
      '"x"',
      '```json\n{"n":1,"fault":"none"}\n```',
      '{"n":"1","fault":"none"}',
    ),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
)

const someCall = fc.record({
  name: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('read_now', 'read_later', 'write_now') },
    { weight: 2, arbitrary: fc.constantFrom('write_gated', 'write_judged') },
    { weight: 1, arbitrary: fc.constantFrom('read_hangs', 'write_hangs', 'ask_host', 'read_limited') },
    { weight: 2, arbitrary: fc.constantFrom('nope', 'constructor', '__proto__') },
  ),
  arguments: someArguments,
  callId: fc.option(fc.constantFrom('same', 'again', ''), { nil: undefined, freq: 4 }),
})

const someTurn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .record({
        text: fc.option(fc.string({ maxLength: 12 }), { nil: undefined }),
        calls: fc.array(someCall, { minLength: 1, maxLength: 5 }),
        finishReason: fc.option(fc.constantFrom('length' as const, 'content_filter' as const, 'other' as const), {
          nil: undefined,
          freq: 12,
        }),
      })
      .map(({ text, calls, finishReason }) => ({
        calls: calls.map(({ callId, ...call }) => ({ ...call, ...(callId === undefined ? {} : { callId }) })),
        ...(text === undefined ? {} : { text }),
        ...(finishReason === undefined ? {} : { finishReason }),
      })),
  },
  { weight: 1, arbitrary: fc.constant({ error: new Error('the provider is down') }) },
  { weight: 1, arbitrary: fc.constant({ error: new ModelCallError('try later', { retryable: true }) }) },
  {
    weight: 1,
    arbitrary: fc.constant<ScriptedTurn>({
      response: {
        parts: [
          { kind: 'function_call', callId: 'told', name: 'read_now', arguments: '{}', informational: true },
          { kind: 'function_call', callId: 'theirs', name: 'web_search', arguments: '{}', providerExecuted: true },
          {
            kind: 'function_result',
            callId: 'theirs',
            name: 'web_search',
            call: null,
            status: 'success',
            content: [],
            providerExecuted: true,
          },
          { kind: 'function_call', callId: 'ours', name: 'read_now', arguments: '{"n":1,"fault":"none"}' },
          { kind: 'function_approval_response', id: 'approval_0001', approved: true, by: 'the model' },
        ],
        finishReason: 'tool_calls',
      },
    }),
  },
)

const someScript = fc.record({
  turns: fc.array(someTurn, { minLength: 1, maxLength: 6 }),
  decisions: fc.array(fc.constantFrom('approve', 'approve', 'approve', 'deny', 'deny', 'expire', 'leave'), {
    minLength: 4,
    maxLength: 12,
  }),
  /** Abort when this many tools have started. */
  abortAt: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  limits: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          maxIterations: fc.integer({ min: 1, max: 4 }),
          maxFunctionCalls: fc.oneof(
            fc.integer({ min: 1, max: 4 }),
            fc.record({
              limit: fc.integer({ min: 1, max: 4 }),
              mode: fc.constantFrom('hard' as const, 'afterBatch' as const),
            }),
          ),
          terminateOnUnknownCalls: fc.boolean(),
          concurrency: fc.integer({ min: 1, max: 3 }),
          maxTokens: fc.integer({ min: 20, max: 60 }),
          deadlineMs: fc.integer({ min: 30, max: 90 }),
        },
        { requiredKeys: [] },
      ),
    },
  ),
})

type Script = typeof someScript extends fc.Arbitrary<infer T> ? T : never

type Played = {
  readonly results: readonly RunResult[]
  readonly calls: readonly CallRecord[]
  readonly conversation: readonly Message[]
  readonly runs: readonly Run[]
  readonly recorded: ReadonlySet<string>
}

/** Plays a script to its end, answering every request as the script decides; a `leave` leaves the run suspended. */
async function play(script: Script, streaming: boolean): Promise<Played> {
  const abort = new AbortController()
  const { tools, recorder, runs, recorded } = workbench((count) => {
    if (count === script.abortAt) abort.abort()
  })
  const store = memoryStore()
  const clock = new HurriedClock()
  let next = 0
  const agent = new Agent({
    ...script.limits,
    model: new ScriptedChatClient([...script.turns, 'done', 'done', 'done']),
    tools,
    store,
    recorder,
    clock,
    ids: { next: (prefix) => `${prefix}_${String(++next).padStart(4, '0')}` },
    principal: { id: 'tester' },
  })
  const session = await agent.session('conversation')
  const options = { session, signal: abort.signal }
  const step = async (input: Parameters<Agent['run']>[0]): Promise<RunResult> => {
    if (!streaming) return agent.run(input, options)
    const stream = agent.stream(input, options)
    for await (const update of stream) expect(update.kind).toMatch(/^[a-z-]+$/)
    return stream.result
  }
  const results = [await step(deepFreeze([{ role: 'user', parts: [{ kind: 'text', text: 'go' }] }]))]
  let decision = 0
  for (let result = results[0]; result !== undefined; result = results.at(-1)) {
    if (result.stopReason === 'client_tool_required') {
      results.push(await step(deepFreeze(result.clientCalls.map((call) => call.answer({ from: 'the host' })))))
      continue
    }
    if (result.stopReason !== 'approval_required') break
    const choices = result.approvals.map(() => script.decisions[decision++ % script.decisions.length])
    if (choices.includes('leave')) break
    if (choices.includes('expire')) clock.advance(24 * 60 * 60 * 1000)
    const answers = result.approvals.map((approval, index) =>
      choices[index] === 'approve'
        ? approval.approve({ by: 'ann' })
        : approval.deny({ by: 'ann', reason: 'not today' }),
    )
    results.push(await step(deepFreeze(answers)))
  }
  const runId = results[0]?.runId ?? ''
  return { results, runs, recorded, calls: await store.journal.calls(runId), conversation: await session.messages() }
}

/** Law 10 rides along in every play: what the caller hands over cannot be changed, and a change would throw. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

function statesOf(calls: readonly CallRecord[]): readonly (readonly string[])[] {
  return calls.map((call) => [call.tool, ...call.transitions.map(({ state }) => state)])
}

const runsOfScripts = { numRuns: 400 }

/** Found once in 55,000: the run was aborted between the call's intent and the recorder's word. */
const abortedWhileRecording: Script = {
  turns: [
    {
      calls: ['read_later', 'read_now', 'read_now'].map((name) => ({ name, arguments: { n: 0, fault: 'none' } })),
    },
    { calls: [{ name: 'read_now', arguments: '' }] },
  ],
  decisions: ['approve', 'approve', 'approve', 'approve'],
  abortAt: 2,
  limits: { concurrency: 2 },
}

describe('the laws, over generated scripts of turns, tool faults and decisions', () => {
  it('law 1: nothing runs a tool but the pipeline, and every execution was recorded before it began', async () => {
    let executions = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { runs, calls, recorded } = await play(script, false)
        executions += runs.length
        expect(runs.every((run) => run.wasRecorded)).toBe(true)
        const executing = calls.filter((call) => call.transitions.some(({ state }) => state === 'Executing'))
        const ran = new Set(runs.map((run) => run.callId))
        expect(executing.map((call) => call.id)).toEqual(expect.arrayContaining([...ran]))
        // What was announced and did not run was cancelled before it began, and nothing else.
        for (const call of executing.filter(({ id }) => !ran.has(id))) {
          expect(call.transitions.map(({ state }) => state)).toContain('Cancelled')
        }
        expect([...recorded].sort()).toEqual(executing.map((call) => call.id).sort())
      }),
      { ...runsOfScripts, examples: [[abortedWhileRecording]] },
    )
    expect(executions).toBeGreaterThan(100)
  })

  it('law 2: every call has exactly one result, in order, right after its message, unless the run is suspended', async () => {
    let looked = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { results, conversation, calls } = await play(script, false)
        const suspended = results.at(-1)?.stopReason === 'approval_required'
        const open = conversation.length - 1
        for (const [index, message] of conversation.entries()) {
          if (message.role !== 'assistant') continue
          const asked = message.parts.flatMap((part) =>
            part.kind === 'function_call' && part.informational !== true && part.providerExecuted !== true
              ? [part.callId]
              : [],
          )
          if (asked.length === 0 || (suspended && index === open)) continue
          looked += asked.length
          const answer = conversation[index + 1]
          expect(answer?.role).toBe('tool')
          expect(answer?.parts.map((part) => (part.kind === 'function_result' ? part.callId : '?'))).toEqual(asked)
        }
        if (!suspended) for (const call of calls) expect(['Observed', 'Unknown']).toContain(call.state)
        for (const call of calls) if (call.state === 'Unknown') expect(call.result?.errorCode).toBe('IN_DOUBT')
      }),
      runsOfScripts,
    )
    expect(looked).toBeGreaterThan(100)
  })

  it('every walk of every call stays on the table of legal transitions', async () => {
    let steps = 0
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        for (const { transitions, state } of (await play(script, false)).calls) {
          expect(transitions[0]?.state).toBe('Requested')
          expect(transitions.at(-1)?.state).toBe(state)
          for (let index = 1; index < transitions.length; index++) {
            const [from, to] = [transitions[index - 1]!.state, transitions[index]!.state]
            expect(advance(from, to), `${from} to ${to}`).toBe(to)
            steps++
          }
        }
      }),
      runsOfScripts,
    )
    expect(steps).toBeGreaterThan(500)
  })

  it('law 3: no call runs twice', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { runs } = await play(script, false)
        expect(new Set(runs.map((run) => run.callId)).size).toBe(runs.length)
      }),
      runsOfScripts,
    )
  })

  it('law 5: streaming gives the same messages, transitions, effects and results', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const whole = await play(script, false)
        const streamed = await play(script, true)
        expect(streamed.conversation).toEqual(whole.conversation)
        expect(statesOf(streamed.calls)).toEqual(statesOf(whole.calls))
        expect(streamed.runs).toEqual(whole.runs)
        expect(streamed.results.map((result) => result.stopReason)).toEqual(
          whole.results.map((result) => result.stopReason),
        )
        expect(streamed.results.map((result) => result.text)).toEqual(whole.results.map((result) => result.text))
      }),
      runsOfScripts,
    )
  })

  it('law 6: a run ends with a named stop reason and never throws for what a model or a tool does', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        for (const { stopReason } of (await play(script, false)).results) {
          seen.add(stopReason)
          expect(stopReasons).toContain(stopReason)
        }
      }),
      runsOfScripts,
    )
    // Which reasons were met is asked of a fixed sample, so that it does not depend on today's luck.
    for (const script of fc.sample(someScript, { numRuns: 1500, seed: 11 })) {
      for (const { stopReason } of (await play(script, false)).results) seen.add(stopReason)
    }
    expect([...seen].sort()).toEqual(
      expect.arrayContaining([
        'aborted',
        'answered',
        'approval_required',
        'budget_limit',
        'call_limit',
        'client_tool_required',
        'error_limit',
        'iteration_limit',
        'length',
        'model_error',
        'unknown_tool',
      ]),
    )
  })

  it('law 8 for texts: nothing of a thrown error reaches the model', async () => {
    await fc.assert(
      fc.asyncProperty(someScript, async (script) => {
        const { conversation } = await play(script, false)
        const shown = JSON.stringify(conversation.filter((message) => message.role === 'tool'))
        expect(shown).not.toContain('secret-of-the-tool')
        expect(shown).not.toContain('/root/')
        expect(shown).not.toMatch(/\bat .+:\d+:\d+/)
      }),
      runsOfScripts,
    )
  })
})
