import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  canonicalJson,
  memoryStore,
  tool,
  toolApproval,
  type AgentOptions,
  type ApproveDecision,
  type Json,
  type Policy,
  type RunResult,
  type Tool,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedCall, type ScriptedTurn } from '../testing/index.ts'

const hour = 60 * 60 * 1000

function mail(
  ran: Json[],
  more: { readonly origin?: string; readonly owner?: string; readonly version?: string } = {},
): Tool {
  return tool({
    name: 'mail',
    description: 'Mails.',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, options: { type: 'object' } },
    },
    effects: 'write',
    needsApproval: true,
    ...more,
    execute: (args: Json) => {
      ran.push(args)
      return 'sent'
    },
  })
}

const call = (args: Json = {}, name = 'mail'): ScriptedCall => ({ name, arguments: args })
const turnOf = (...calls: readonly ScriptedCall[]): ScriptedTurn => ({ calls })

function bench(options: Partial<AgentOptions> = {}) {
  const ran: Json[] = []
  const store = memoryStore()
  const clock = new ManualClock()
  const agent = (turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}): Agent =>
    new Agent({
      model: new ScriptedChatClient([...turns, 'done']),
      tools: [mail(ran)],
      store,
      clock,
      principal: { id: 'carl' },
      ...options,
      ...more,
    })
  return { ran, store, clock, agent }
}

type Bench = ReturnType<typeof bench>

/** Runs one call and remembers it. */
async function remember(
  b: Bench,
  decision: Omit<ApproveDecision, 'by'>,
  args: Json = {},
  sessionId = 's',
): Promise<void> {
  const agent = b.agent([turnOf(call(args))])
  const session = await agent.session(sessionId)
  const asked = await agent.run('go', { session })
  const result = await agent.run(
    asked.approvals.map((approval) => approval.approve({ by: 'ann', ...decision })),
    { session },
  )
  expect(result).toMatchObject({ stopReason: 'answered', refused: [] })
}

async function runAgain(
  b: Bench,
  args: Json = {},
  more: Partial<AgentOptions> = {},
  sessionId = 's',
): Promise<RunResult> {
  const agent = b.agent([turnOf(call(args))], more)
  return agent.run('again', { session: await agent.session(sessionId) })
}

describe('standing rules', () => {
  it('of a tool approves any later call of it in the conversation, recorded by the rule', async () => {
    const b = bench()
    await remember(b, { remember: 'tool' }, { to: 'bob' })
    const result = await runAgain(b, { to: 'eve' })
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [] })
    const [rule] = await b.store.rules.list()
    expect(rule).toMatchObject({
      tool: 'mail',
      origin: 'local',
      owner: null,
      arguments: null,
      askedBy: 'contract',
      scope: { kind: 'session', sessionId: 's' },
      createdBy: 'ann',
      expiresAt: null,
      revokedAt: null,
    })
    expect(await b.store.approvals.list({ runId: result.runId })).toMatchObject([
      { status: 'approved', decidedBy: `rule:${rule?.id}` },
    ])
  })

  it('of a conversation does not count in another one; of a user it does, for that user only', async () => {
    const ofSession = bench()
    await remember(ofSession, { remember: 'tool', scope: 'session' })
    expect((await runAgain(ofSession, {}, {}, 'other')).stopReason).toBe('approval_required')

    const ofUser = bench()
    await remember(ofUser, { remember: 'tool', scope: 'user' })
    expect((await runAgain(ofUser, {}, {}, 'other')).stopReason).toBe('answered')
    expect((await runAgain(ofUser, {}, { principal: { id: 'dora' } }, 'third')).stopReason).toBe('approval_required')
  })

  it('counts until it expires, by the clock of the run', async () => {
    const b = bench()
    await remember(b, { remember: 'tool', expiresAt: b.clock.now() + hour })
    await b.clock.advance(hour - 1)
    expect((await runAgain(b)).stopReason).toBe('answered')
    await b.clock.advance(1)
    expect((await runAgain(b)).stopReason).toBe('approval_required')
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'that ends at now + %s is refused with its answer',
    async (ms) => {
      const b = bench()
      const agent = b.agent([turnOf(call())])
      const asked = await agent.run('go')
      const answer = asked.approvals[0]!.approve({ by: 'ann', remember: 'tool', expiresAt: b.clock.now() + ms })
      const result = await agent.run([answer])
      expect(result.refused).toMatchObject([{ reason: expect.stringContaining('expiresAt') }])
      expect(result.approvals).toHaveLength(1)
      expect([b.ran, await b.store.rules.list()]).toEqual([[], []])
    },
  )

  it('is revoked, and from then on a person is asked again', async () => {
    const b = bench()
    await remember(b, { remember: 'tool' })
    const [rule] = await b.store.rules.list()
    await b.store.journal.append([{ kind: 'rule-revoked', id: rule!.id, by: 'ann', at: b.clock.now() }])
    expect((await runAgain(b)).stopReason).toBe('approval_required')
    expect(await b.store.rules.list()).toMatchObject([{ revokedBy: 'ann' }])
  })

  it.each<readonly [Json, Json, boolean]>([
    [{ to: 'bob' }, { to: 'bob' }, true],
    [{ to: 'bob' }, { to: 'eve' }, false],
    [{ to: 'bob' }, {}, false],
    [{ to: 'bob' }, { to: 'bob', options: {} }, false],
    [{ to: 'bob', options: { a: 1, b: [2, { c: 3 }] } }, { options: { b: [2, { c: 3 }], a: 1 }, to: 'bob' }, true],
    [{ options: { list: [1, 2] } }, { options: { list: [2, 1] } }, false],
    [{ options: { n: 1 } }, { options: { n: '1' } }, false],
    [{ options: { n: 1 } }, { options: { n: 1.0 } }, true],
    [{ options: { a: null } }, { options: {} }, false],
    [{}, {}, true],
    [{}, { to: 'bob' }, false],
    [{}, { options: {} }, false],
  ])('of the arguments %j and a call with %j: %s', async (first, second, covers) => {
    const b = bench()
    await remember(b, { remember: 'arguments' }, first)
    expect((await runAgain(b, second)).stopReason).toBe(covers ? 'answered' : 'approval_required')
  })

  it('of exact arguments covers equal JSON and nothing else', async () => {
    const json = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    await fc.assert(
      fc.asyncProperty(json, json, async (one, other) => {
        const [first, second] = [JSON.parse(JSON.stringify(one)) as Json, JSON.parse(JSON.stringify(other)) as Json]
        const b = bench()
        await remember(b, { remember: 'arguments' }, { options: first })
        const equal = canonicalJson(first) === canonicalJson(second)
        expect((await runAgain(b, { options: second })).stopReason).toBe(equal ? 'answered' : 'approval_required')
      }),
      { numRuns: 60 },
    )
  })

  it.each<readonly [string, Parameters<typeof mail>[1]]>([
    ['of another origin', { origin: 'mcp:eve' }],
    ['of another owner', { owner: 'eve' }],
  ])('does not cover a tool of the same name %s', async (_, more) => {
    const b = bench()
    await remember(b, { remember: 'tool', scope: 'user' })
    expect((await runAgain(b, {}, { tools: [mail(b.ran, more)] })).stopReason).toBe('approval_required')
  })

  it('covers the tool in its next version: it was said of the tool', async () => {
    const b = bench()
    await remember(b, { remember: 'tool' })
    expect((await runAgain(b, {}, { tools: [mail(b.ran, { version: '2' })] })).stopReason).toBe('answered')
  })

  it('does not cover what a policy asks, unless it was said to that very rule', async () => {
    const policy = (rule: string): Policy => ({ decide: () => ({ effect: 'ask', rules: [rule] }) })
    const said = bench()
    await remember(said, { remember: 'tool' })
    expect((await runAgain(said, {}, { policy: policy('prod') })).stopReason).toBe('approval_required')

    const toPolicy = bench({ policy: policy('prod') })
    await remember(toPolicy, { remember: 'tool' })
    expect((await runAgain(toPolicy)).stopReason).toBe('answered')
    expect((await runAgain(toPolicy, {}, { policy: policy('money') })).stopReason).toBe('approval_required')
  })

  it('never outranks a policy that denies', async () => {
    const b = bench()
    await remember(b, { remember: 'tool' })
    const result = await runAgain(b, {}, { policy: { decide: () => ({ effect: 'deny', rules: ['no'] }) } })
    expect(JSON.stringify(result.messages)).toContain('PERMISSION_DENIED')
    expect(b.ran).toHaveLength(1)
  })

  it('answers sibling calls already waiting, at once with the answer it was made with', async () => {
    const b = bench()
    const agent = b.agent([turnOf(call({ to: 'a' }), call({ to: 'b' }), call({ to: 'a' }))])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    expect(asked.approvals).toHaveLength(3)
    const half = await agent.run([asked.approvals[0]!.approve({ by: 'ann', remember: 'arguments' })], { session })
    expect(half).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { to: 'b' } }] })
    expect(b.ran).toEqual([])
    const end = await agent.run([half.approvals[0]!.deny({ by: 'ann', reason: 'no' })], { session })
    expect(end.stopReason).toBe('answered')
    expect(b.ran).toEqual([{ to: 'a' }, { to: 'a' }])
    expect((await b.store.approvals.list({ runId: end.runId })).map(({ decidedBy }) => decidedBy?.slice(0, 5))).toEqual(
      ['ann', 'ann', 'rule:'],
    )
  })

  it('made with a refusal there is none', async () => {
    const b = bench()
    const agent = b.agent([turnOf(call())])
    const asked = await agent.run('go')
    const answer = { ...asked.approvals[0]!.deny({ by: 'ann', reason: 'no' }), remember: { what: 'tool' as const } }
    await expect(agent.run([answer])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(await b.store.rules.list()).toEqual([])
  })

  it('made with an edit is of the arguments the person gave', async () => {
    const b = bench()
    const agent = b.agent([turnOf(call({ to: 'bob' }))])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    await agent.run([asked.approvals[0]!.edit({ to: 'ann' }, { by: 'ann', remember: 'arguments' })], { session })
    expect((await b.store.rules.list())[0]?.arguments).toEqual({ to: 'ann' })
    expect((await runAgain(b, { to: 'bob' }, {}, 's')).stopReason).toBe('approval_required')
  })

  it('of a call that is shown only beside another one is refused: it needs no approval', async () => {
    const b = bench()
    const look = tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => 1,
    })
    const agent = b.agent([turnOf(call({}, 'look'), call())], { tools: [mail(b.ran), look], showWholeBatch: true })
    const asked = await agent.run('go')
    const beside = asked.approvals.find(({ askedBy }) => askedBy === 'batch')
    const result = await agent.run([beside!.approve({ by: 'ann', remember: 'tool' })])
    expect(result.refused).toMatchObject([{ reason: expect.stringContaining('nothing to remember') }])
    expect(await b.store.rules.list()).toEqual([])
  })

  it('does not count where toolApproval says so, in any piece of the list', async () => {
    const b = bench()
    await remember(b, { remember: 'tool' })
    const middleware = [toolApproval(), toolApproval({ standingRules: false })]
    expect((await runAgain(b, {}, { middleware })).stopReason).toBe('approval_required')
  })

  it('that say the same are kept once; one that lasts longer is kept beside', async () => {
    const b = bench()
    const agent = b.agent([turnOf(call({ to: 'a' }), call({ to: 'b' }), call({ to: 'c' }), call({ to: 'd' }))])
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    const until = { expiresAt: b.clock.now() + hour }
    const more = [until, {}, {}, until]
    await agent.run(
      asked.approvals.map((one, index) => one.approve({ by: 'ann', remember: 'tool', ...more[index] })),
      { session },
    )
    const rules = await b.store.rules.list()
    expect(rules.map(({ expiresAt }) => expiresAt)).toEqual([until.expiresAt, null])
    const result = await runAgain(b, { to: 'e' })
    expect((await b.store.approvals.list({ runId: result.runId }))[0]?.decidedBy).toBe(`rule:${rules[0]?.id}`)
  })

  it('one that expired does not hide one that counts', async () => {
    const b = bench()
    await remember(b, { remember: 'tool', expiresAt: b.clock.now() + 1 })
    await b.clock.advance(1)
    await remember(b, { remember: 'tool' }, {}, 's')
    expect((await runAgain(b)).stopReason).toBe('answered')
  })
})
