import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  memoryStore,
  resolveCall,
  systemClock,
  textOf,
  tool,
  type AgentOptions,
  type CallId,
  type CallRecord,
  type Json,
  type Resolution,
  type Store,
  type ToolClass,
} from './index.ts'
import { ManualClock, ScriptedChatClient, statelessScript, type ScriptedTurn } from '../testing/index.ts'

const hour = 60 * 60 * 1000

type Bench = {
  readonly store: Store
  readonly clock: ManualClock
  readonly ran: Json[]
  readonly agent: (options?: Partial<AgentOptions>) => Agent
}

/** How the tool of these tests behaves once a new process has taken over. */
type Later = {
  readonly reconcile?: (args: Json, context: { readonly signal: AbortSignal }) => unknown
  readonly idempotency?: { readonly windowMs: number }
  readonly timeoutMs?: number
  readonly needsApproval?: boolean
  readonly version?: string
}

const pay: ScriptedTurn = { calls: [{ name: 'pay', arguments: { to: 'bob' } }] }

function bench(toolClass: ToolClass, later: Later = {}): Bench {
  const store = memoryStore()
  const clock = new ManualClock()
  const ran: Json[] = []
  const agent = (options: Partial<AgentOptions> = {}): Agent =>
    new Agent({
      model: statelessScript([pay, 'done', 'well', 'fine']),
      tools: [
        tool({
          name: 'pay',
          description: 'Pays.',
          inputSchema: z.object({ to: z.string() }),
          effects: 'write',
          class: toolClass,
          ...later,
          ...(toolClass === 'queryable' ? { reconcile: later.reconcile ?? (() => ({ done: 'unknown' })) } : {}),
          execute: (args, context) => {
            ran.push({ ...args, key: context.idempotencyKey })
            return { paid: args['to'] ?? null }
          },
        } as Parameters<typeof tool>[0]),
      ],
      store,
      clock,
      ...options,
    })
  return { store, clock, ran, agent }
}

/** A run whose process dies while the call is under way: the store as such a process leaves it. */
async function lost({ store, agent }: Bench, prompt = 'go'): Promise<{ readonly runId: string; readonly id: CallId }> {
  const dying = agent({
    // The last thing this process does.
    executor: {
      execute: () => {
        throw new Error('not reached: the process dies before')
      },
    },
    store: {
      ...store,
      close: () => store.close(),
      journal: {
        run: (id) => store.journal.run(id),
        runs: (filter) => store.journal.runs(filter),
        calls: (id) => store.journal.calls(id),
        callsInState: (states, limit) => store.journal.callsInState(states, limit),
        async append(batch) {
          await store.journal.append(batch)
          const starts = batch.some(
            (entry) =>
              (entry.kind === 'call-opened' || entry.kind === 'call-moved') && entry.call.state === 'Executing',
          )
          if (starts) throw new Error('the process dies here')
        },
      },
    },
  })
  const session = await dying.session('s')
  await expect(dying.run(prompt, { session })).rejects.toThrow('the process dies here')
  const [run] = await store.journal.runs()
  const [call] = await store.journal.calls(run?.id ?? '')
  expect(call?.state).toBe('Executing')
  return { runId: run?.id ?? '', id: call!.id }
}

/** A call that timed out: the model was told that it is in doubt, and the run went on to its end. */
async function answeredInDoubt(
  options: Partial<AgentOptions> = {},
  turns: readonly ScriptedTurn[] = [pay, 'I do not know.', 'Ah.'],
) {
  const store = memoryStore()
  const clock = new ManualClock()
  let hang: () => void = () => undefined
  const hangs = new Promise<void>((resolve) => (hang = resolve))
  const slow = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ to: z.string() }),
    effects: 'write',
    timeoutMs: 1000,
    execute: () => {
      hang()
      return new Promise(() => undefined)
    },
  })
  const gated = tool({
    name: 'wipe',
    description: 'Wipes.',
    inputSchema: z.object({}),
    effects: 'destructive',
    needsApproval: true,
    execute: () => 'wiped',
  })
  const model = new ScriptedChatClient(turns)
  const agent = new Agent({ model, tools: [slow, gated], store, clock, ...options })
  const session = await agent.session('s')
  const running = agent.run('go', { session })
  await hangs
  await clock.advance(1000)
  const result = await running
  const [call] = await store.journal.calls(result.runId)
  expect(call).toMatchObject({ state: 'Unknown', result: { errorCode: 'IN_DOUBT' } })
  return { store, clock, agent, session, result, model, id: call!.id }
}

function statesOf(call: CallRecord | undefined): readonly string[] {
  return call?.transitions.map(({ state }) => state) ?? []
}

describe('a call in doubt, found after a crash', () => {
  it('keeps its run open with in_doubt until somebody resolves it; resuming again changes nothing', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    for (let round = 0; round < 2; round++) {
      const result = await b.agent().resume(runId).result
      expect(result).toMatchObject({ stopReason: 'in_doubt', inDoubt: [{ id, tool: 'pay', state: 'Unknown' }] })
    }
    expect(b.ran).toEqual([])
  })

  it.each<readonly [string, Resolution, string, string]>([
    ['done with its result', { kind: 'done', by: 'ann', result: { paid: 'bob' } }, 'success', '"data":{"paid":"bob"}'],
    ['done, result not known', { kind: 'done', by: 'ann' }, 'success', 'took effect'],
    ['not done', { kind: 'notDone', by: 'ann', reason: 'no entry' }, 'error', 'did not take effect'],
  ])('%s: settled as the person says, nothing runs, the run goes on', async (_, resolution, status, shown) => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    const agent = b.agent()
    await agent.resume(runId).result
    expect(await agent.resolveCall(id, resolution)).toMatchObject({ kind: 'resolved', isNoted: false })
    const result = await agent.resume(runId).result
    expect([result.stopReason, b.ran]).toEqual(['answered', []])
    const [part] = result.messages.find(({ role }) => role === 'tool')?.parts ?? []
    expect(part).toMatchObject({ kind: 'function_result', status })
    expect(JSON.stringify(part)).toContain(shown)
    const [call] = await b.store.journal.calls(runId)
    expect(statesOf(call).slice(-3)).toEqual([
      'Unknown',
      resolution.kind === 'done' ? 'Succeeded' : 'Failed',
      'Observed',
    ])
    expect(call?.transitions.at(-2)?.detail).toMatchObject({ resolved: resolution.kind, by: 'ann' })
  })

  it('retry: consent by name, a new attempt of the same call with the same key, once', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    const agent = b.agent()
    await agent.resume(runId).result
    expect(await agent.resolveCall(id, { kind: 'retry', by: 'ann', reason: 'no entry' })).toMatchObject({
      kind: 'resolved',
    })
    expect(b.ran).toEqual([])
    const result = await agent.resume(runId).result
    expect(result.stopReason).toBe('answered')
    expect(b.ran).toHaveLength(1)
    expect(await b.store.approvals.list({ runId })).toMatchObject([
      { status: 'approved', decidedBy: 'ann', askedBy: 'resolution', reason: 'no entry', arguments: { to: 'bob' } },
    ])
    const [call] = await b.store.journal.calls(runId)
    expect(call).toMatchObject({ attempts: 2 })
    expect(statesOf(call).slice(-5)).toEqual(['Unknown', 'Approved', 'Executing', 'Succeeded', 'Observed'])
  })

  it('retry that policy denies at the claim runs nothing', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    await b.agent().resume(runId).result
    await b.agent().resolveCall(id, { kind: 'retry', by: 'ann' })
    const frozen = b.agent({ policy: { decide: () => ({ effect: 'deny', rules: ['freeze'] }) } })
    const result = await frozen.resume(runId).result
    expect([result.stopReason, b.ran]).toEqual(['answered', []])
    expect(JSON.stringify(result.messages)).toContain('PERMISSION_DENIED')
  })

  it('retry that nobody carries out in time expires and runs nothing', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    await b.agent().resume(runId).result
    await b.agent().resolveCall(id, { kind: 'retry', by: 'ann' })
    await b.clock.advance(24 * hour)
    const result = await b.agent().resume(runId).result
    expect([result.stopReason, b.ran]).toEqual(['answered', []])
    expect(JSON.stringify(result.messages)).toContain('APPROVAL_EXPIRED')
  })

  it('retry of a tool that is not known here is refused, and changes nothing', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    await b.agent().resume(runId).result
    expect(await b.agent({ tools: [] }).resolveCall(id, { kind: 'retry', by: 'ann' })).toMatchObject({
      kind: 'refused',
      because: expect.stringContaining('not known here'),
    })
    expect((await b.store.journal.calls(runId))[0]?.state).toBe('Unknown')
  })

  it('is resolved once: the second is refused and says where the call stands', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    const agent = b.agent()
    await agent.resume(runId).result
    const verdicts = await Promise.all([
      agent.resolveCall(id, { kind: 'done', by: 'ann' }),
      agent.resolveCall(id, { kind: 'notDone', by: 'bob' }),
    ])
    expect(verdicts.map(({ kind }) => kind).toSorted()).toEqual(['refused', 'resolved'])
    expect(verdicts.find(({ kind }) => kind === 'refused')).toMatchObject({
      because: expect.stringContaining('Observed'),
    })
  })

  it('before it is found in doubt, or once its run goes on, there is nothing to resolve', async () => {
    const b = bench('nonIdempotent')
    const { id } = await lost(b)
    expect(await b.agent().resolveCall(id, { kind: 'done', by: 'ann' })).toMatchObject({
      kind: 'refused',
      because: expect.stringContaining('Executing'),
    })
  })

  it('resolved while the run is being resumed: one of the two is first, and the run ends right either way', async () => {
    for (const resolution of [
      { kind: 'done', by: 'ann' },
      { kind: 'retry', by: 'ann' },
    ] as const) {
      const b = bench('nonIdempotent')
      const { runId, id } = await lost(b)
      const agent = b.agent()
      await agent.resume(runId).result
      const [resumed, verdict] = await Promise.all([agent.resume(runId).result, agent.resolveCall(id, resolution)])
      expect(verdict.kind).toBe('resolved')
      const result = resumed.stopReason === 'in_doubt' ? await agent.resume(runId).result : resumed
      expect(result.stopReason).toBe('answered')
      expect(b.ran).toHaveLength(resolution.kind === 'retry' ? 1 : 0)
    }
  })

  it('an unknown id, a resolution by nobody or of no known kind', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    const agent = b.agent()
    await agent.resume(runId).result
    expect(await agent.resolveCall('call_0000000000000000_1_0' as CallId, { kind: 'done', by: 'ann' })).toEqual({
      kind: 'unknown',
      id: 'call_0000000000000000_1_0',
    })
    for (const odd of [{ kind: 'done', by: ' ' }, { kind: 'done' }, { kind: 'maybe', by: 'ann' }, null]) {
      await expect(agent.resolveCall(id, odd as Resolution)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    }
    expect((await b.store.journal.calls(runId))[0]?.state).toBe('Unknown')
  })

  it('what a person says it returned goes through the observation, like any result', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    const agent = b.agent({ observation: { map: () => [{ kind: 'text', text: 'masked' }] } })
    await agent.resume(runId).result
    await agent.resolveCall(id, { kind: 'done', by: 'ann', result: 'secret-of-the-tool' })
    const { messages } = await agent.resume(runId).result
    expect(JSON.stringify(messages)).toContain('masked')
    expect(JSON.stringify(messages)).not.toContain('secret-of-the-tool')
  })

  it('is settled without an agent too, where only the store is at hand', async () => {
    const b = bench('nonIdempotent')
    const { runId, id } = await lost(b)
    await b.agent().resume(runId).result
    const ports = { clock: systemClock, ids: { next: () => 'x' }, hash: { sha256: () => 'x' } }
    expect(await resolveCall(b.store, id, { kind: 'notDone', by: 'ann' }, ports)).toMatchObject({ kind: 'resolved' })
    expect((await b.agent().resume(runId).result).stopReason).toBe('answered')
  })
})

describe('a call in doubt the model has an answer to', () => {
  it.each<readonly [Resolution['kind'], string]>([
    ['done', 'took effect'],
    ['notDone', 'did not take effect'],
  ])('%s: a note in the conversation, never a second result, and the next run hears it', async (kind, said) => {
    const { agent, session, id, model } = await answeredInDoubt()
    const before = await session.messages()
    expect(await agent.resolveCall(id, { kind, by: 'ann' } as Resolution)).toMatchObject({
      kind: 'resolved',
      isNoted: true,
    })
    const after = await session.messages()
    expect(after.slice(0, -1)).toEqual(before)
    expect(after.at(-1)?.role).toBe('user')
    expect(textOf(after.at(-1)?.parts ?? [])).toContain(said)
    expect(textOf(after.at(-1)?.parts ?? [])).toContain('ann')
    expect(after.flatMap(({ parts }) => parts).filter((part) => part.kind === 'function_result')).toHaveLength(1)
    expect((await agent.run('And?', { session })).text).toBe('Ah.')
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(said)
  })

  it('is noted once', async () => {
    const { agent, session, id } = await answeredInDoubt()
    await agent.resolveCall(id, { kind: 'done', by: 'ann' })
    expect(await agent.resolveCall(id, { kind: 'done', by: 'bob' })).toMatchObject({ kind: 'refused' })
    expect((await session.messages()).filter(({ parts }) => textOf(parts).startsWith('Note:'))).toHaveLength(1)
  })

  it('is not carried out once more: the model can propose it again', async () => {
    const { agent, id } = await answeredInDoubt()
    expect(await agent.resolveCall(id, { kind: 'retry', by: 'ann' })).toMatchObject({
      kind: 'refused',
      because: expect.stringContaining('propose the call again'),
    })
  })

  it('while its conversation waits for an answer: refused, so that no call loses its result', async () => {
    const { agent, session, id, result } = await answeredInDoubt({}, [
      pay,
      { calls: [{ name: 'wipe' }] },
      'done',
      'Ah.',
    ])
    expect(result.stopReason).toBe('approval_required')
    expect(await agent.resolveCall(id, { kind: 'done', by: 'ann' })).toMatchObject({
      kind: 'refused',
      because: expect.stringContaining('in the middle of a turn'),
    })
    const end = await agent.run(
      result.approvals.map((one) => one.approve({ by: 'ann' })),
      { session },
    )
    expect(end.stopReason).toBe('answered')
    const messages = await session.messages()
    const calls = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'function_call' ? [part.callId] : [])),
    )
    const results = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'function_result' ? [part.callId] : [])),
    )
    expect(results).toEqual(calls)
    expect(await agent.resolveCall(id, { kind: 'done', by: 'ann' })).toMatchObject({ kind: 'resolved' })
  })

  it('while a run of its conversation is under way: refused, and that run is not disturbed', async () => {
    let verdict: unknown
    const { agent, session, id } = await answeredInDoubt({}, [
      pay,
      'I do not know.',
      { calls: [{ name: 'nothing' }] },
      async () => {
        verdict = await agent.resolveCall(id, { kind: 'done', by: 'ann' })
        return 'Ah.'
      },
    ])
    expect((await agent.run('And?', { session })).text).toBe('Ah.')
    expect(verdict).toMatchObject({ kind: 'refused', because: expect.stringContaining('under way') })
  })

  it('in the first turn of a run: refused as in any other, and that run is not disturbed', async () => {
    let verdict: unknown
    const { agent, session, id } = await answeredInDoubt({}, [
      pay,
      'I do not know.',
      async () => {
        verdict = await agent.resolveCall(id, { kind: 'done', by: 'ann' })
        return 'Ah.'
      },
    ])
    expect((await agent.run('And?', { session })).text).toBe('Ah.')
    expect(verdict).toMatchObject({ kind: 'refused', because: expect.stringContaining('under way') })
  })

  it('of an agent inside a call: the conversation around hears it, where a model still listens', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    let hang: () => void = () => undefined
    const hangs = new Promise<void>((resolve) => (hang = resolve))
    const slow = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ to: z.string() }),
      effects: 'write',
      timeoutMs: 1000,
      execute: () => {
        hang()
        return new Promise(() => undefined)
      },
    })
    const clerk = new Agent({ name: 'clerk', model: new ScriptedChatClient([pay, 'Not sure.']), tools: [slow] })
    const boss = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'clerk', arguments: { task: 'pay' } }] }, 'Well.']),
      tools: [clerk.asTool({ name: 'clerk' })],
      store,
      clock,
    })
    const session = await boss.session('s')
    const running = boss.run('go', { session })
    await hangs
    await clock.advance(1000)
    await running
    const [doubtful] = await store.journal.callsInState(['Unknown'])
    expect(await boss.resolveCall(doubtful!.id, { kind: 'done', by: 'ann' })).toMatchObject({ isNoted: true })
    expect(textOf((await session.messages()).at(-1)?.parts ?? [])).toContain('pay')
  })
})

describe('reconcile: the remote is asked about a lost call of a queryable tool', () => {
  it('done: settled with what the remote says, nothing runs again', async () => {
    const b = bench('queryable', { reconcile: () => ({ done: true, result: { paid: 'bob', found: true } }) })
    const { runId } = await lost(b)
    const result = await b.agent().resume(runId).result
    expect([result.stopReason, b.ran]).toEqual(['answered', []])
    expect(JSON.stringify(result.messages)).toContain('found')
    const [call] = await b.store.journal.calls(runId)
    expect(statesOf(call).slice(-3)).toEqual(['Executing', 'Succeeded', 'Observed'])
    expect(call?.transitions.at(-1)?.detail).toEqual({ by: 'reconcile' })
  })

  it('surely absent: it runs again, once', async () => {
    const b = bench('queryable', { reconcile: async () => ({ done: false }) })
    const { runId } = await lost(b)
    const result = await b.agent().resume(runId).result
    expect(result.stopReason).toBe('answered')
    expect(b.ran).toHaveLength(1)
    const [call] = await b.store.journal.calls(runId)
    expect(statesOf(call).slice(-5)).toEqual(['Failed', 'Retried', 'Executing', 'Succeeded', 'Observed'])
  })

  it.each<readonly [string, () => unknown]>([
    ['is not sure', () => ({ done: 'unknown' })],
    ['says nothing', () => undefined],
    ['says something else', () => 'yes'],
    ['answers null', () => null],
    [
      'throws',
      () => {
        throw new Error('secret-of-the-tool')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret-of-the-tool'))],
    [
      'has a getter that throws',
      () => ({
        get done(): boolean {
          throw new Error('secret-of-the-tool')
        },
      }),
    ],
  ])('%s: in doubt, a person is asked', async (_, reconcile) => {
    const b = bench('queryable', { reconcile })
    const { runId, id } = await lost(b)
    const result = await b.agent().resume(runId).result
    expect(result).toMatchObject({ stopReason: 'in_doubt', inDoubt: [{ id }] })
    expect(b.ran).toEqual([])
    expect(JSON.stringify(await b.store.journal.calls(runId))).not.toContain('secret-of-the-tool')
  })

  it.each([
    [2000, 2000],
    [undefined, 30_000],
  ])('hangs (timeoutMs %s): in doubt after %i ms, and the question hears that nobody waits', async (timeoutMs, ms) => {
    let signal: AbortSignal | undefined
    let tell: () => void = () => undefined
    const isAsked = new Promise<void>((resolve) => (tell = resolve))
    const b = bench('queryable', {
      reconcile: (_, context) => {
        signal = context.signal
        tell()
        return new Promise(() => undefined)
      },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    const { runId } = await lost(b)
    const resuming = b.agent().resume(runId).result
    await isAsked
    await b.clock.advance(ms - 1)
    expect(signal?.aborted).toBe(false)
    await b.clock.advance(1)
    expect((await resuming).stopReason).toBe('in_doubt')
    expect(signal?.aborted).toBe(true)
  })

  it('a run aborted while the remote is asked stays open in doubt, and nothing ran', async () => {
    const abort = new AbortController()
    const b = bench('queryable', {
      reconcile: () => {
        setImmediate(() => abort.abort())
        return new Promise(() => undefined)
      },
    })
    const { runId } = await lost(b)
    const result = await b.agent().resume(runId, { signal: abort.signal }).result
    expect([result.stopReason, b.ran]).toEqual(['in_doubt', []])
  })
})

describe('an idempotency key', () => {
  it('is used again, the same, within its window', async () => {
    const b = bench('idempotencyKey', { idempotency: { windowMs: hour } })
    const { runId } = await lost(b)
    await b.clock.advance(hour - 1)
    expect((await b.agent().resume(runId).result).stopReason).toBe('answered')
    expect(b.ran).toHaveLength(1)
  })

  it('is not trusted once its window is over: in doubt', async () => {
    const b = bench('idempotencyKey', { idempotency: { windowMs: hour } })
    const { runId } = await lost(b)
    await b.clock.advance(hour)
    expect((await b.agent().resume(runId).result).stopReason).toBe('in_doubt')
    expect(b.ran).toEqual([])
  })

  it.each<ToolClass>(['idempotencyKey', 'queryable', 'nonIdempotent', 'transactional'])(
    'a lost call of class %s whose tool this process does not have is in doubt, not failed',
    async (toolClass) => {
      const b = bench(toolClass)
      const { runId, id } = await lost(b)
      const without = b.agent({ tools: [] })
      expect(await without.resume(runId).result).toMatchObject({ stopReason: 'in_doubt', inDoubt: [{ id }] })
    },
  )
})
