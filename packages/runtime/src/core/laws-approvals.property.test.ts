import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  canonicalJson,
  FairleadError,
  keepsRunOpen,
  memoryStore,
  toolApproval,
  tool,
  type AgentOptions,
  type Approval,
  type ApprovalResponsePart,
  type CallRecord,
  type Clock,
  type Json,
  type Message,
  type Policy,
  type RecordedStep,
  type RunResult,
  type Store,
} from './index.ts'
import { statelessScript, type ScriptedCall, type ScriptedTurn } from '../testing/index.ts'

const day = 24 * 60 * 60 * 1000
const secret = 'secret-of-the-tool'

/** Time passes only when it is told to; waiting takes none of it. */
class StillClock implements Clock {
  #now = Date.UTC(2026, 0, 1)

  now(): number {
    return this.#now
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (signal === undefined) reject(new Error(`nobody may sleep ${ms} ms here`))
    })
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

/** What ran, when, with which arguments, and whether its intent had been recorded. */
type Execution = { readonly callId: string; readonly args: Json; readonly at: number; readonly wasRecorded: boolean }

const someArguments = fc.record({
  n: fc.integer({ min: 0, max: 9 }),
  fault: fc.constantFrom('none', 'none', 'none', 'throws', 'null'),
})

const someCall: fc.Arbitrary<ScriptedCall> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      name: fc.constantFrom('look', 'look', 'pay', 'pay', 'pay', 'judged', 'fixed'),
      arguments: someArguments,
    }),
  },
  { weight: 3, arbitrary: fc.constant({ name: 'clerk', arguments: { task: 'pay' } }) },
  { weight: 1, arbitrary: fc.constant({ name: 'nope', arguments: {} }) },
  { weight: 1, arbitrary: fc.constant({ name: 'pay', arguments: '{"n":' }) },
)

const someTurns = (most: number): fc.Arbitrary<readonly ScriptedTurn[]> =>
  fc.array(
    fc
      .record({
        text: fc.option(fc.constantFrom('Well.', 'I pay.'), { nil: undefined }),
        calls: fc.array(someCall, { minLength: 1, maxLength: 4 }),
      })
      .map(({ text, calls }) => ({ calls, ...(text === undefined ? {} : { text }) })),
    { minLength: 1, maxLength: most },
  )

/** Something a host, a person or an attacker does while a run waits; `which` picks a request, `process` who does it. */
const someAct = fc.record({
  kind: fc.constantFrom(
    'approve',
    'approve',
    'approve',
    'deny',
    'edit',
    'bad-edit',
    'remember',
    'remember-arguments',
    'approve-all',
    'expire',
    'clock-back',
    'resume',
    'replay',
    'forge',
    'tamper',
    'race',
  ),
  which: fc.nat(7),
  process: fc.nat(2),
})

const someScript = fc.record({
  turns: someTurns(3),
  inner: someTurns(2),
  acts: fc.array(someAct, { minLength: 2, maxLength: 10 }),
  ending: fc.constantFrom('approve', 'deny', 'expire', 'leave'),
  options: fc.record(
    {
      showWholeBatch: fc.boolean(),
      partialAnswers: fc.constantFrom('wait' as const, 'run' as const),
      approvalMode: fc.constantFrom('all' as const, 'oneAtATime' as const),
      concurrency: fc.constantFrom(1, 2),
    },
    { requiredKeys: [] },
  ),
  hasSession: fc.boolean(),
  /** Policy denies, asks about or fails on calls with this number. */
  policy: fc.record({
    denies: fc.nat(20),
    asks: fc.nat(20),
    throws: fc.nat(20),
    odd: fc.nat(20),
  }),
  auto: fc.constantFrom('none', 'none', 'small', 'throws'),
  /** The recorder refuses from this intent on. */
  unrecordedFrom: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(5) }),
})

type Script = typeof someScript extends fc.Arbitrary<infer T> ? T : never

type Played = {
  readonly results: readonly RunResult[]
  readonly store: Store
  readonly executions: readonly Execution[]
  readonly steps: readonly RecordedStep[]
  /** Every yes a host gave, by the request's id; edits with their arguments. */
  readonly consents: ReadonlyMap<string, Json>
  readonly errors: readonly unknown[]
  readonly refusedReasons: readonly string[]
}

function policyOf({ policy }: Script): Policy {
  return {
    decide({ arguments: args, tool: { name } }) {
      const { n } = args
      if (typeof n !== 'number') return { effect: 'allow', rules: [] }
      if (n === policy.throws) throw new Error(secret)
      if (n === policy.odd) return { effect: 'permit', rules: [] } as never
      if (n === policy.denies) return { effect: 'deny', rules: ['denies'], reason: 'No.' }
      return n === policy.asks && name === 'look'
        ? { effect: 'ask', rules: ['asks'], reason: 'Sure?' }
        : { effect: 'allow', rules: [] }
    },
  }
}

function workbench(script: Script, store: Store, clock: Clock) {
  const executions: Execution[] = []
  const steps: RecordedStep[] = []
  const recorded = new Set<string>()
  let intents = 0
  const recorder = {
    record(some: readonly RecordedStep[]) {
      const starts = some.filter(({ transitions }) => transitions.some(({ state }) => state === 'Executing'))
      intents += starts.length
      if (script.unrecordedFrom !== null && intents > script.unrecordedFrom) throw new Error(secret)
      steps.push(...some)
      for (const { call } of starts) recorded.add(call.id)
    },
  }
  const work = (args: { readonly n: number; readonly fault: string }, callId: string): unknown => {
    executions.push({ callId, args, at: clock.now(), wasRecorded: recorded.has(callId) })
    if (args.fault === 'throws') throw new Error(`${secret} at /root/secret/path.ts:1:1`)
    return args.fault === 'null' ? null : { ok: true }
  }
  const input = z.object({ n: z.number().int(), fault: z.string() })
  const make = (name: string, more: object) =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: input,
      effects: 'write',
      impact: ({ arguments: args }) => {
        if (args['n'] === 3) throw new Error(secret)
        return `n is ${JSON.stringify(args['n'])}`
      },
      ...more,
      execute: (args, context) => work(args, context.call.id),
    })
  const tools = () => [
    make('look', { effects: 'read' }),
    make('pay', { needsApproval: true }),
    make('fixed', { needsApproval: true, editable: false }),
    make('judged', {
      needsApproval: ({ arguments: args }: { arguments: { n?: number } }) => {
        if (args.n === 5) throw new Error(secret)
        return Number(args.n) > 5
      },
    }),
  ]
  const auto =
    script.auto === 'none'
      ? []
      : [
          toolApproval({
            autoApprove: function small({ arguments: args }) {
              if (script.auto === 'throws') throw new Error(secret)
              return Number(args['n']) < 2
            },
          }),
        ]
  const shared: Partial<AgentOptions> = { store, clock, recorder, policy: policyOf(script), middleware: auto }
  /** A process: its own agents with their own models and tools; only the store is common. */
  const process = (ids: NonNullable<AgentOptions['ids']>): Agent => {
    const clerk = new Agent({
      name: 'clerk',
      model: statelessScript([...script.inner, 'The clerk is done.']),
      tools: tools(),
      middleware: auto,
    })
    return new Agent({
      ...shared,
      ...script.options,
      model: statelessScript([...script.turns, 'done']),
      tools: [...tools(), clerk.asTool({ name: 'clerk' })],
      ids,
      principal: { id: 'carl' },
    })
  }
  return { process, executions, steps }
}

const people = ['ann', 'bob', 'dora'] as const

async function play(script: Script, streaming = false): Promise<Played> {
  const store = memoryStore({ keepRuns: 100 })
  const clock = new StillClock()
  const { process, executions, steps } = workbench(script, store, clock)
  let next = 0
  const ids = { next: (prefix: string) => `${prefix}_${String(++next).padStart(4, '0')}` }
  const processes = [process(ids), process(ids), process(ids)]
  const consents = new Map<string, Json>()
  const errors: unknown[] = []
  const refusedReasons: string[] = []
  const results: RunResult[] = []
  const given: ApprovalResponsePart[] = []
  const session = script.hasSession ? await processes[0]!.session('conversation') : undefined
  const options = session === undefined ? {} : { session }
  const seen = async (agent: Agent, input: Parameters<Agent['run']>[0]): Promise<RunResult | null> => {
    try {
      if (!streaming) return await agent.run(input, options)
      const stream = agent.stream(input, options)
      for await (const update of stream) expect(update.kind).toMatch(/^[a-z-]+$/)
      return await stream.result
    } catch (error) {
      errors.push(error)
      return null
    }
  }
  const keep = (result: RunResult | null): void => {
    if (result === null) return
    results.push(result)
    refusedReasons.push(...result.refused.map(({ reason }) => reason))
  }
  const answer = (agent: Agent, answers: readonly ApprovalResponsePart[]): Promise<RunResult | null> => {
    for (const one of answers) {
      given.push(one)
      if (one.approved && one.edit === undefined) consents.set(`${one.id} as asked`, null)
      if (one.approved && one.edit !== undefined) consents.set(`${one.id} edited`, one.edit)
    }
    return seen(agent, deepFreeze([...answers]))
  }
  keep(await seen(processes[0]!, deepFreeze([{ role: 'user', parts: [{ kind: 'text', text: 'go' }] }])))
  for (const act of [...script.acts, null]) {
    for (let round = 0; round < (act === null ? 40 : 1); round++) {
      const last = results.at(-1)
      if (last === undefined || last.stopReason !== 'approval_required') break
      const waiting = last.approvals
      const agent = processes[act?.process ?? 0]!
      const by = people[act?.process ?? 0]!
      const one = waiting[(act?.which ?? 0) % Math.max(1, waiting.length)]
      const kind = act?.kind ?? `end-${script.ending}`
      if (one === undefined) break
      const chosen = { n: 8, fault: 'none' }
      switch (kind) {
        case 'approve':
          keep(await answer(agent, [one.approve({ by })]))
          break
        case 'deny':
          keep(await answer(agent, [one.deny({ by, reason: 'not today' })]))
          break
        case 'edit':
          keep(await answer(agent, [one.edit(chosen, { by })]))
          break
        case 'bad-edit':
          keep(await answer(agent, [one.edit({ n: 'eight' }, { by })]))
          break
        case 'remember':
          keep(await answer(agent, [one.approve({ by, remember: 'tool', scope: 'user' })]))
          break
        case 'remember-arguments':
          keep(await answer(agent, [one.approve({ by, remember: 'arguments' })]))
          break
        case 'approve-all':
        case 'end-approve':
          keep(
            await answer(
              agent,
              waiting.map((each) => each.approve({ by })),
            ),
          )
          break
        case 'end-deny':
          keep(
            await answer(
              agent,
              waiting.map((each) => each.deny({ by, reason: 'no' })),
            ),
          )
          break
        case 'expire':
        case 'end-expire':
          clock.advance(day)
          keep(await answer(agent, [one.approve({ by })]))
          break
        case 'clock-back':
          clock.advance(-day / 2)
          break
        case 'resume':
          keep(await agent.resume(last.runId, options).result)
          break
        case 'replay':
          if (given.length > 0) keep(await seen(agent, deepFreeze(given.slice())))
          break
        case 'forge':
          keep(await seen(agent, deepFreeze([{ ...one.approve({ by }), id: `approval_9${act?.which ?? 0}` }])))
          break
        case 'tamper':
          keep(await seen(agent, deepFreeze([{ ...one.approve({ by }), arguments: { n: 1 } }])))
          break
        case 'race': {
          const other = processes[((act?.process ?? 0) + 1) % 3]!
          const second = waiting.at(-1) ?? one
          const both = await Promise.all([
            answer(agent, [one.approve({ by })]),
            answer(other, [second.deny({ by: 'eve', reason: 'race' })]),
          ])
          for (const result of both) keep(result)
          keep(await seen(agent, deepFreeze([one.approve({ by })])))
          break
        }
        case 'end-leave':
          break
        default:
          throw new Error(`no such act: ${String(kind)}`)
      }
      if (kind === 'end-leave') break
    }
  }
  return { results, store, executions, steps, consents, errors, refusedReasons }
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}

async function allCalls(store: Store): Promise<readonly CallRecord[]> {
  const runs = await store.journal.runs()
  return (await Promise.all(runs.map(({ id }) => store.journal.calls(id)))).flat()
}

/** A seed of its own every time, told in the title; `FC_SEED` repeats one. */
const seed = Number(process.env['FC_SEED'] ?? Math.trunc(Math.random() * 2 ** 31))
const runs = { numRuns: Number(process.env['FC_RUNS'] ?? 120), seed }

const patience = 120_000

describe(`the laws where people decide, over generated scripts (seed ${seed})`, () => {
  it(
    'law 1: every execution was recorded before it began, and went down the pipeline',
    async () => {
      let looked = 0
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { executions, store } = await play(script)
          const calls = new Map((await allCalls(store)).map((call) => [String(call.id), call]))
          for (const { callId, wasRecorded } of executions) {
            looked++
            expect(wasRecorded).toBe(true)
            expect(calls.get(callId)?.transitions.map(({ state }) => state)).toContain('Executing')
          }
        }),
        runs,
      )
      expect(looked).toBeGreaterThan(50)
    },
    patience,
  )

  it(
    'law 2: every call has exactly one result, behind its message, in every conversation whose run does not wait',
    async () => {
      let looked = 0
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { store } = await play(script)
          for (const run of await store.journal.runs()) {
            const messages: readonly Message[] = (await store.sessions.get(run.sessionId))?.messages ?? []
            const open = run.status === 'suspended' ? messages.length - 1 : -1
            for (const [index, message] of messages.entries()) {
              const asked = message.parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : []))
              if (asked.length === 0 || index === open) continue
              looked += asked.length
              expect(
                messages[index + 1]?.parts.map((part) => (part.kind === 'function_result' ? part.callId : '?')),
              ).toEqual(asked)
            }
            if (run.status !== 'ended') continue
            for (const call of await store.journal.calls(run.id)) {
              expect([call.state, call.result === null]).toEqual(['Observed', false])
            }
          }
          const waiting = (await store.journal.runs()).filter(({ status }) => status !== 'ended')
          const ended = new Set(
            (await store.journal.runs()).filter(({ status }) => status === 'ended').map(({ id }) => id),
          )
          // An agent inside a call waits only as long as the run around it does, unless going on could not be recorded.
          if (script.unrecordedFrom !== null) return
          for (const { parent } of waiting) if (parent !== null) expect(ended.has(parent.runId)).toBe(false)
        }),
        runs,
      )
      expect(looked).toBeGreaterThan(100)
    },
    patience,
  )

  it(
    'law 3: no call runs twice, whoever answers, resumes or replays',
    async () => {
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { executions } = await play(script)
          const ran = executions.map(({ callId }) => callId)
          expect(new Set(ran).size).toBe(ran.length)
        }),
        runs,
      )
    },
    patience,
  )

  it(
    'law 4: what needed consent ran with exactly what a host said yes to, in time, once; nothing else did',
    async () => {
      let looked = 0
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { executions, store, consents } = await play(script)
          const calls = new Map((await allCalls(store)).map((call) => [String(call.id), call]))
          const approvals = await store.approvals.list()
          const rules = new Map((await store.rules.list()).map((rule) => [`rule:${rule.id}`, rule]))
          for (const { callId, args, at } of executions) {
            const call = calls.get(callId)
            if (call?.decision?.effect !== 'ask') continue
            looked++
            const fits = approvals.filter(
              (approval) =>
                approval.callId === call.id &&
                approval.status === 'approved' &&
                canonicalJson(approval.edited?.arguments ?? approval.arguments) === canonicalJson(args),
            )
            expect(fits.length).toBeGreaterThan(0)
            expect(fits.some((approval) => at < approval.expiresAt && isSaid(approval, consents, rules, script))).toBe(
              true,
            )
          }
          // Nothing that was denied, expired or is still open ran on that request.
          for (const call of calls.values()) {
            const own = approvals.find(({ id }) => id === call.approvalId)
            if (own === undefined || own.status === 'approved') continue
            expect(executions.some(({ callId }) => callId === call.id)).toBe(false)
          }
        }),
        runs,
      )
      expect(looked).toBeGreaterThan(30)
    },
    patience,
  )

  it(
    'law 5: streaming gives the same conversation, transitions, effects and stops',
    async () => {
      const quiet = someScript.map((script) => ({ ...script, acts: script.acts.filter(({ kind }) => kind !== 'race') }))
      await fc.assert(
        fc.asyncProperty(quiet, async (script) => {
          const [whole, streamed] = [await play(script, false), await play(script, true)]
          expect(streamed.executions).toEqual(whole.executions)
          expect(streamed.results.map(comparable)).toEqual(whole.results.map(comparable))
          expect(await allCalls(streamed.store)).toEqual(await allCalls(whole.store))
          expect(await streamed.store.approvals.list()).toEqual(await whole.store.approvals.list())
        }),
        { ...runs, numRuns: Math.ceil(runs.numRuns / 2) },
      )
    },
    patience,
  )

  it(
    'law 6: a run stops with a named reason; what is thrown is only that an answer was refused or somebody else works',
    async () => {
      const reasons = new Set<string>()
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { results, errors, store } = await play(script)
          for (const { stopReason, approvals } of results) {
            reasons.add(stopReason)
            // Whoever asks a person shows a request.
            if (stopReason === 'approval_required') expect(approvals.length).toBeGreaterThan(0)
          }
          for (const error of errors) {
            expect(error).toBeInstanceOf(FairleadError)
            expect(['APPROVAL_REFUSED', 'RUN_BUSY', 'RUN_ENDED']).toContain((error as FairleadError).code)
          }
          for (const { status, stopReason, lease } of await store.journal.runs()) {
            expect(stopReason).not.toBeNull()
            expect([status, keepsRunOpen(stopReason!)]).toEqual([status, status === 'suspended'])
            expect(lease).toBeNull()
          }
          // Where no decision can be recorded the request stands.
          if (script.ending === 'leave' || script.unrecordedFrom !== null) return
          expect(results.at(-1)?.stopReason).not.toBe('approval_required')
        }),
        runs,
      )
      expect([...reasons]).toEqual(expect.arrayContaining(['answered', 'approval_required']))
    },
    patience,
  )

  it(
    'law 7: where policy denies, fails or says nothing, or the recorder refuses, nothing runs',
    async () => {
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { executions, policy } = { ...(await play(script)), policy: script.policy }
          for (const { args } of executions) {
            const { n } = args as { n: number }
            expect([policy.throws, policy.odd, policy.denies]).not.toContain(n)
          }
          if (script.unrecordedFrom !== null) expect(executions.length).toBeLessThanOrEqual(script.unrecordedFrom)
        }),
        runs,
      )
    },
    patience,
  )

  it(
    'law 8: nothing of a thrown error reaches a model, a card, the journal, the recorder or an error text',
    async () => {
      await fc.assert(
        fc.asyncProperty(someScript, async (script) => {
          const { store, results, steps, errors, refusedReasons } = await play(script)
          const sessions = await Promise.all(
            (await store.journal.runs()).map(({ sessionId }) => store.sessions.get(sessionId)),
          )
          const told = JSON.stringify([
            sessions,
            await store.approvals.list(),
            results,
            await allCalls(store),
            steps,
            refusedReasons,
            errors.map((error) => (error as Error).message),
          ])
          expect(told).not.toContain(secret)
          expect(told).not.toContain('/root/secret')
          expect(told).not.toMatch(/\bat [^"]+\.[cm]?[jt]s:\d+:\d+/)
        }),
        runs,
      )
    },
    patience,
  )
})

/** Law 10 rides along: whatever is handed in is frozen. The continuation differs by signature of time; the rest is the same. */
function comparable({ stopReason, text, messages, approvals, refused, usage }: RunResult): Json {
  const requests = approvals.map(({ id, path, status }) => ({ id, path: [...path], status }))
  return JSON.parse(JSON.stringify({ stopReason, text, messages, requests, refused, usage })) as Json
}

/** Whether a host, or a rule a host made or set up, said yes to this very request. */
function isSaid(
  approval: Approval,
  consents: ReadonlyMap<string, Json>,
  rules: ReadonlyMap<string, { readonly approvalId: string; readonly tool: string; readonly askedBy: string }>,
  script: Script,
): boolean {
  const { decidedBy } = approval
  if (decidedBy === null) return false
  if (decidedBy.startsWith('auto:')) {
    return script.auto === 'small' && Number(approval.arguments['n']) < 2 && approval.askedBy === 'contract'
  }
  const rule = rules.get(decidedBy)
  if (rule !== undefined) {
    const said = consents.has(`${rule.approvalId} as asked`) || consents.has(`${rule.approvalId} edited`)
    return said && rule.tool === approval.tool && rule.askedBy === approval.askedBy
  }
  if (approval.edited === null) return consents.has(`${approval.id} as asked`)
  return canonicalJson(consents.get(`${approval.id} edited`) ?? null) === canonicalJson(approval.edited.arguments)
}
