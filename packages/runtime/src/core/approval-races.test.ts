import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  decideApproval,
  memoryStore,
  tool,
  type AgentOptions,
  type Decision,
  type JournalEntry,
  type PendingApproval,
  type Policy,
  type Store,
} from './index.ts'
import { ManualClock, ScriptedChatClient, statelessScript } from '../testing/index.ts'

const day = 24 * 60 * 60 * 1000

function payTool(ran: string[], version = '1', more: { readonly note?: boolean } = {}) {
  const to = z.string()
  return tool({
    name: 'pay',
    description: 'Pays.',
    version,
    inputSchema: more.note === true ? z.object({ to, note: z.string().optional() }) : z.object({ to }),
    effects: 'write',
    needsApproval: true,
    execute: (args) => {
      ran.push(args.to)
      return 'paid'
    },
  })
}

const turns = [
  {
    calls: [
      { name: 'pay', arguments: { to: 'b' } },
      { name: 'pay', arguments: { to: 'c' } },
    ],
  },
  'done',
]

/** A store through which somebody else can get in between two writes of this process. */
function interrupted(store: Store, before: (batch: readonly JournalEntry[]) => Promise<void>): Store {
  const { journal } = store
  return {
    ...store,
    close: () => store.close(),
    journal: {
      run: (id) => journal.run(id),
      runs: (filter) => journal.runs(filter),
      calls: (id) => journal.calls(id),
      callsInState: (states, limit) => journal.callsInState(states, limit),
      async append(batch) {
        await before(batch)
        await journal.append(batch)
      },
    },
  }
}

function isStop(entry: JournalEntry): boolean {
  return entry.kind === 'run-changed' && entry.run.status === 'suspended'
}

async function asked(options: Partial<AgentOptions> = {}) {
  const ran: string[] = []
  const store = memoryStore()
  const clock = new ManualClock()
  const setting = { model: statelessScript(turns), tools: [payTool(ran)], clock, ...options }
  const first = new Agent({ ...setting, store })
  const session = await first.session('s')
  const result = await first.run('go', { session })
  const [b, c] = result.approvals
  if (b === undefined || c === undefined) throw new Error('B and C were not asked about')
  return { ran, store, clock, setting, first, session, result, b, c }
}

const answer = (approval: PendingApproval, approved: boolean, by: string) => ({ id: approval.id, approved, by })

describe('two who decide at once', () => {
  it('one wins, the other hears who, in any order', async () => {
    const { store, clock, b, ran, first, session, c } = await asked()
    const people = ['ann', 'bob', 'carl']
    const verdicts = await Promise.all(
      people.map((by, index) => decideApproval(store, answer(b, index % 2 === 0, by), { clock })),
    )
    const winners = verdicts.filter(({ kind }) => kind === 'decided')
    expect(winners).toHaveLength(1)
    const winner = winners[0]?.kind === 'decided' ? winners[0].approval.decidedBy : '?'
    for (const verdict of verdicts) {
      if (verdict.kind !== 'decided')
        expect(verdict).toMatchObject({ kind: 'already', approval: { decidedBy: winner } })
    }
    await first.run([c.deny({ by: 'ann', reason: 'no' })], { session })
    expect(ran).toEqual(winner === 'bob' ? [] : ['b'])
  })
})

describe('a decision while its run is being resumed', () => {
  it('just before the run would stop for it is not lost: the run goes on with it', async () => {
    const { ran, store, clock, setting, session, b, c } = await asked()
    let told = false
    const slow = interrupted(store, async (batch) => {
      if (told || !batch.some(isStop)) return
      told = true
      expect(await decideApproval(store, answer(c, true, 'bob'), { clock })).toMatchObject({ kind: 'decided' })
    })
    const result = await new Agent({ ...setting, store: slow }).run([b.approve({ by: 'ann' })], { session })
    expect(told).toBe(true)
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [], text: 'done' })
    expect(ran).toEqual(['b', 'c'])
  })

  it('is recorded though the run is busy, and whoever resumes takes it along', async () => {
    const { ran, store, setting, session, b, c } = await asked()
    const other = new Agent({ ...setting, store })
    let busy: unknown
    const slow = interrupted(store, async (batch) => {
      if (busy !== undefined || !batch.some(isStop)) return
      busy = null
      busy = await other.run([c.approve({ by: 'bob' })], { session }).catch((error: unknown) => error)
    })
    const result = await new Agent({ ...setting, store: slow }).run([b.approve({ by: 'ann' })], { session })
    expect(busy).toMatchObject({ code: 'RUN_BUSY' })
    expect(result.stopReason).toBe('answered')
    expect(ran).toEqual(['b', 'c'])
    const again = await other.run([c.approve({ by: 'bob' })], { session })
    expect(again.refused[0]?.reason).toContain('Already approved by bob')
  })

  it('of what a rule was about to approve wins over the rule', async () => {
    const { ran, store, clock, setting, session, b, c } = await asked()
    let told = false
    const slow = interrupted(store, async (batch) => {
      // The rule remembered with B's answer is about to approve C.
      if (told || !batch.some((entry) => entry.kind === 'approval-decided' && entry.id === c.id)) return
      told = true
      await decideApproval(store, { ...answer(c, false, 'bob'), reason: 'not this one' }, { clock })
    })
    const result = await new Agent({ ...setting, store: slow }).run([b.approve({ by: 'ann', remember: 'tool' })], {
      session,
    })
    expect(told).toBe(true)
    expect(result.stopReason).toBe('answered')
    expect(ran).toEqual(['b'])
    expect(JSON.stringify(result.messages)).toContain('not this one')
  })

  it('in time by the clock of its process wins over an expiry that another process is about to write', async () => {
    const { ran, store, clock, setting, result: first, b, c } = await asked()
    const early = new ManualClock(clock.now() + day - 1)
    let told = false
    const slow = interrupted(store, async (batch) => {
      if (told || !batch.some((entry) => entry.kind === 'approval-decided')) return
      told = true
      for (const one of [b, c]) await decideApproval(store, answer(one, true, 'bob'), { clock: early })
    })
    await clock.advance(day)
    const result = await new Agent({ ...setting, store: slow }).resume(first.runId).result
    expect(told).toBe(true)
    expect(result.stopReason).toBe('answered')
    // Decided in time, but not used in time by the clock of the process that claims.
    expect(ran).toEqual([])
    expect((await store.approvals.get(b.id))?.status).toBe('approved')
    expect((await store.journal.calls(first.runId)).map((call) => call.result?.errorCode)).toEqual([
      'APPROVAL_EXPIRED',
      'APPROVAL_EXPIRED',
    ])
  })

  it('of everything, while the run that asked is just stopping, wakes it', async () => {
    const ran: string[] = []
    const store = memoryStore()
    const clock = new ManualClock()
    let isDeciding = false
    const quick: Store = {
      ...store,
      close: () => store.close(),
      approvals: {
        get: (id) => store.approvals.get(id),
        async list(filter) {
          // Somebody decides between the stop and the moment the run looks what it waits for.
          if (!isDeciding && filter?.status === 'pending') {
            isDeciding = true
            for (const { id } of await store.approvals.list(filter)) {
              await decideApproval(store, { id, approved: true, by: 'bot' }, { clock })
            }
          }
          return store.approvals.list(filter)
        },
      },
    }
    const agent = new Agent({ model: new ScriptedChatClient(turns), tools: [payTool(ran)], store: quick, clock })
    expect(await agent.run('go')).toMatchObject({ stopReason: 'answered', approvals: [] })
    expect(ran).toEqual(['b', 'c'])
  })
})

describe('expiry, by the clock of the store', () => {
  it.each([
    [day - 1, ['b', 'c'], 'success'],
    [day, [], 'APPROVAL_EXPIRED'],
  ] as const)('an approval claimed %i ms after it was asked', async (ms, expected, code) => {
    const { ran, clock, store, first, result, b, c } = await asked()
    for (const one of [b, c]) await decideApproval(store, answer(one, true, 'ann'), { clock })
    await clock.advance(ms)
    const end = await first.resume(result.runId).result
    expect(ran).toEqual(expected)
    const [call] = await store.journal.calls(end.runId)
    expect(call?.result?.errorCode ?? call?.result?.status).toBe(code)
  })

  it('a clock that goes back does not revive what was found expired at the claim', async () => {
    const { ran, clock, store, first, result, session, b, c } = await asked()
    for (const one of [b, c]) await decideApproval(store, answer(one, true, 'ann'), { clock })
    await clock.advance(day)
    await first.resume(result.runId).result
    await clock.advance(-day)
    const again = await first.run([b.approve({ by: 'ann' })], { session })
    expect(again.refused).toHaveLength(1)
    expect(ran).toEqual([])
  })

  it('a clock that goes back before the request was made changes nothing', async () => {
    const { ran, clock, first, session, b, c } = await asked()
    await clock.advance(-10 * day)
    const end = await first.run([b.approve({ by: 'ann' }), c.approve({ by: 'ann' })], { session })
    expect([end.stopReason, ran]).toEqual(['answered', ['b', 'c']])
  })

  it('an edit that expired before the claim runs nothing: the call is asked about again', async () => {
    const { ran, clock, store, setting, first, result, session, b, c } = await asked()
    const tools = new Map([['pay', payTool(ran)]])
    const hash = { sha256: () => 'unused' }
    expect(setting.tools).toHaveLength(1)
    // Through the agent, which knows its tools.
    await first.decide({ ...answer(b, true, 'ann'), edit: { to: 'x' } })
    await decideApproval(store, { ...answer(c, false, 'ann'), reason: 'no' }, { clock, tools, hash })
    await clock.advance(day)
    const again = await first.resume(result.runId).result
    expect(again).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { to: 'x' } }] })
    expect(ran).toEqual([])
    await first.run(
      again.approvals.map((one) => one.deny({ by: 'ann', reason: 'late' })),
      { session },
    )
    expect(ran).toEqual([])
  })
})

describe('what changed between the question and the claim', () => {
  it.each<readonly [string, Parameters<typeof payTool>[1], Parameters<typeof payTool>[2]]>([
    ['version', '2', {}],
    ['schema', '1', { note: true }],
  ])("the tool's %s: asked again, as it is now, nothing of the turn runs", async (_, version, more) => {
    const { ran, store, clock, session, b, c } = await asked()
    const later = new Agent({ model: statelessScript(turns), tools: [payTool(ran, version, more)], store, clock })
    const again = await later.run([b.approve({ by: 'ann' }), c.deny({ by: 'ann', reason: 'no' })], { session })
    expect(again).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { to: 'b' }, version }] })
    expect(again.approvals[0]?.id).not.toBe(b.id)
    expect(ran).toEqual([])
    const end = await later.run(
      again.approvals.map((one) => one.approve({ by: 'ann' })),
      { session },
    )
    expect([end.stopReason, ran]).toEqual(['answered', ['b']])
  })

  it('the tool, before an edit: the edit is refused, because nobody saw the tool as it is now', async () => {
    const { ran, store, clock, session, b } = await asked()
    const later = new Agent({ model: statelessScript(turns), tools: [payTool(ran, '2')], store, clock })
    const result = await later.run([b.edit({ to: 'x' }, { by: 'ann' })], { session })
    expect(result.refused).toMatchObject([{ reason: expect.stringContaining('has changed since it was asked about') }])
    expect(result.stopReason).toBe('approval_required')
    expect(ran).toEqual([])
  })

  it('the tool is gone: the approved call is answered as unknown, and nothing runs', async () => {
    const { ran, store, clock, session, b, c } = await asked()
    const later = new Agent({ model: statelessScript(turns), tools: [], store, clock })
    const end = await later.run([b.approve({ by: 'ann' }), c.approve({ by: 'ann' })], { session })
    expect([end.stopReason, ran]).toEqual(['answered', []])
    expect(JSON.stringify(end.messages)).toContain('UNKNOWN_TOOL')
  })

  const policies: readonly (readonly [string, Decision, Decision, readonly string[]])[] = [
    ['denies', { effect: 'ask', rules: ['r'] }, { effect: 'deny', rules: ['r2'] }, []],
    ['asks as before', { effect: 'ask', rules: ['r'] }, { effect: 'ask', rules: ['r'] }, ['b', 'c']],
    ['asks by another rule', { effect: 'ask', rules: ['r'] }, { effect: 'ask', rules: ['r2'] }, ['b', 'c']],
    ['allows', { effect: 'ask', rules: ['r'] }, { effect: 'allow', rules: [] }, ['b', 'c']],
  ]

  it.each(policies)('the policy, which now %s', async (_, before, after, expected) => {
    let decision = before
    const policy: Policy = { decide: () => decision }
    const { ran, first, session, b, c, store, result } = await asked({ policy })
    decision = after
    const end = await first.run([b.approve({ by: 'ann' }), c.approve({ by: 'ann' })], { session })
    expect([end.stopReason, ran]).toEqual(['answered', expected])
    const [call] = await store.journal.calls(result.runId)
    // Where the policy allows, the contract still asks.
    expect(call?.decision).toEqual({ effect: after.effect === 'allow' ? 'ask' : after.effect, rules: after.rules })
  })

  it('the policy, which is broken now: POLICY_ERROR, nothing runs (law 7)', async () => {
    let isBroken = false
    const policy: Policy = {
      decide: () => {
        if (isBroken) throw new Error('broken')
        return { effect: 'allow', rules: [] }
      },
    }
    const { ran, first, session, b, c } = await asked({ policy })
    isBroken = true
    const end = await first.run([b.approve({ by: 'ann' }), c.approve({ by: 'ann' })], { session })
    expect([end.stopReason, ran]).toEqual(['answered', []])
    expect(JSON.stringify(end.messages)).toContain('POLICY_ERROR')
  })

  it('the policy, which now asks about a safe call of the turn: it is asked about too, and nothing runs', async () => {
    let isStrict = false
    const ran: string[] = []
    const look = tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => void ran.push('look'),
    })
    const policy: Policy = {
      decide: ({ tool: { name } }) =>
        isStrict && name === 'look' ? { effect: 'ask', rules: ['looks'] } : { effect: 'allow', rules: [] },
    }
    for (const showWholeBatch of [false, true]) {
      ran.length = 0
      isStrict = false
      const model = new ScriptedChatClient([
        { calls: [{ name: 'look' }, { name: 'pay', arguments: { to: 'b' } }] },
        'done',
      ])
      const agent = new Agent({ model, tools: [look, payTool(ran)], policy, showWholeBatch })
      const session = await agent.session()
      const first = await agent.run('go', { session })
      isStrict = true
      const again = await agent.run(
        first.approvals.map((one) => one.approve({ by: 'ann' })),
        { session },
      )
      // Shown as one that needs nobody: that is no answer to a rule that asks since.
      expect(again.approvals.map(({ tool: name, askedBy }) => [name, askedBy])).toEqual([['look', 'policy:looks']])
      expect(ran).toEqual([])
      await agent.run(
        again.approvals.map((one) => one.approve({ by: 'ann' })),
        { session },
      )
      expect(ran).toEqual(['look', 'b'])
    }
  })
})
