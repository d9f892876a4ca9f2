import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  autoApprove,
  functionMiddleware,
  memoryStore,
  tool,
  toolApproval,
  withContract,
  type AgentOptions,
  type Decision,
  type Json,
  type ObservationMapper,
  type Policy,
  type RunResult,
  type RunUpdate,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

function mailer(ran: Json[], needsApproval = true) {
  return tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    inputSchema: z.object({ to: z.string() }),
    effects: 'write',
    needsApproval,
    execute: (args, context) => {
      ran.push({ ...args, by: context.principal.id, environment: context.environment })
      return 'sent'
    },
  })
}

const mail: ScriptedTurn = { calls: [{ name: 'send_mail', arguments: { to: 'bob' } }] }
const delegate = (name: string): ScriptedTurn => ({ calls: [{ name, arguments: { task: 'write to Bob' } }] })

describe('agents as tools', () => {
  it('runs inside the call, for the same principal, and its answer is the result', async () => {
    const ran: Json[] = []
    const inner = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'Bob knows.']),
      tools: [mailer(ran, false)],
    })
    const outer = new Agent({
      model: new ScriptedChatClient([delegate('writer'), 'done']),
      tools: [inner.asTool({ name: 'writer' })],
    })
    const result = await outer.run('go', { principal: { id: 'ann' }, environment: 'prod' })
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ran).toEqual([{ to: 'bob', by: 'ann', environment: 'prod' }])
    expect(JSON.stringify(result.messages)).toContain('Bob knows.')
    expect(result.usage).toEqual({ inputTokens: 40, outputTokens: 20 })
  })

  it.each([1, 2])('an approval inside surfaces and resumes through the parent, %i levels deep', async (levels) => {
    const ran: Json[] = []
    const store = memoryStore()
    const innermost = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'Bob knows.']),
      tools: [mailer(ran)],
    })
    let top = innermost
    for (let level = 1; level <= levels; level++) {
      const name = `level_${level}`
      top = new Agent({
        name,
        model: new ScriptedChatClient([delegate('inner'), `${name} done`]),
        tools: [top.asTool({ name: 'inner' })],
        store,
      })
    }
    const asked = await top.run('go')
    expect(asked.stopReason).toBe('approval_required')
    expect(asked.approvals).toMatchObject([{ tool: 'send_mail', arguments: { to: 'bob' } }])
    expect(asked.approvals[0]?.path).toHaveLength(levels)
    expect(ran).toEqual([])
    const result = await top.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ runId: asked.runId, stopReason: 'answered', text: `level_${levels} done` })
    expect(ran).toHaveLength(1)
  })

  it('what governs the call governs the agent inside: policy and guards', async () => {
    const ran: Json[] = []
    const policy: Policy = {
      decide: ({ tool: { name } }) =>
        name === 'send_mail' ? { effect: 'deny', rules: ['no mail'] } : { effect: 'allow', rules: [] },
    }
    const inner = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'I could not.']),
      tools: [mailer(ran, false)],
    })
    const byPolicy = new Agent({
      model: new ScriptedChatClient([delegate('writer'), 'done']),
      tools: [inner.asTool({ name: 'writer' })],
      policy,
    })
    expect((await byPolicy.run('go')).stopReason).toBe('answered')
    expect(ran).toEqual([])

    const guard = functionMiddleware(
      async (context, next) => {
        if (context.tool.name === 'send_mail') context.reject('No mail today.')
        await next()
      },
      { name: 'no mail', guard: true },
    )
    const again = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'I could not.']),
      tools: [mailer(ran, false)],
    })
    const byGuard = new Agent({
      model: new ScriptedChatClient([delegate('writer'), 'done']),
      tools: [again.asTool({ name: 'writer' })],
      middleware: [guard],
    })
    expect((await byGuard.run('go')).stopReason).toBe('answered')
    expect(ran).toEqual([])
  })
})

const done = (...turns: readonly ScriptedTurn[]): readonly ScriptedTurn[] => turns

/** An agent `boss` with the agent `writer` inside, over one store. */
function nested(setting: {
  readonly inner?: Partial<AgentOptions>
  readonly outer?: Partial<AgentOptions>
  readonly innerTurns?: readonly ScriptedTurn[]
  readonly outerTurns?: readonly ScriptedTurn[]
  readonly asTool?: Partial<Parameters<Agent['asTool']>[0]>
}) {
  const ran: Json[] = []
  const store = memoryStore()
  const clock = new ManualClock()
  const innerModel = new ScriptedChatClient(setting.innerTurns ?? done(mail, 'Bob knows.'))
  const inner = new Agent({ name: 'writer', model: innerModel, tools: [mailer(ran)], ...setting.inner })
  const boss = new Agent({
    name: 'boss',
    model: new ScriptedChatClient(setting.outerTurns ?? done(delegate('writer'), 'done')),
    tools: [inner.asTool({ name: 'writer', ...setting.asTool })],
    store,
    clock,
    ...setting.outer,
  })
  return { ran, store, clock, boss, innerModel }
}

const yes = (result: RunResult) => result.approvals.map((approval) => approval.approve({ by: 'ann' }))

describe('approvals of an agent inside a call', () => {
  it('say through whom they came, what they show and who they act for', async () => {
    const { boss } = nested({})
    const session = await boss.session('s')
    const asked = await boss.run('go', { session, principal: { id: 'carl' } })
    expect(asked.approvals).toMatchObject([
      { path: ['writer'], tool: 'send_mail', arguments: { to: 'bob' }, principalId: 'carl', status: 'pending' },
    ])
    expect(JSON.parse(JSON.stringify(asked.approvals[0]))).toMatchObject({ path: ['writer'] })
    const result = await boss.run(yes(asked), { session })
    expect(result).toMatchObject({ stopReason: 'answered', runId: asked.runId, text: 'done' })
  })

  it('a refusal reaches the agent inside with its reason, and the run around goes on', async () => {
    const { boss, ran, innerModel } = nested({})
    const asked = await boss.run('go')
    const result = await boss.run(asked.approvals.map((one) => one.deny({ by: 'ann', reason: 'wrong Bob' })))
    expect([result.stopReason, ran]).toEqual(['answered', []])
    expect(JSON.stringify(innerModel.requests[1]?.messages)).toContain('wrong Bob')
  })

  it('an expired one is answered as expired inside', async () => {
    const { boss, ran, clock, innerModel } = nested({})
    const asked = await boss.run('go')
    await clock.advance(24 * 60 * 60 * 1000)
    const result = await boss.run(yes(asked))
    expect([result.stopReason, ran]).toEqual(['answered', []])
    expect(JSON.stringify(innerModel.requests[1]?.messages)).toContain('APPROVAL_EXPIRED')
  })

  it('stand as long as the agent around says, where the agent inside says nothing', async () => {
    const { boss, clock } = nested({ outer: { approvalTtlMs: 60_000 } })
    expect((await boss.run('go')).approvals[0]?.expiresAt).toBe(clock.now() + 60_000)
    const own = nested({ outer: { approvalTtlMs: 60_000 }, inner: { approvalTtlMs: 1000 } })
    expect((await own.boss.run('go')).approvals[0]?.expiresAt).toBe(clock.now() + 1000)
  })

  it('can be edited: the arguments are checked against the tool of the agent that asked', async () => {
    const { boss, ran } = nested({})
    const asked = await boss.run('go')
    const [request] = asked.approvals
    const wrong = await boss.run([request!.edit({ to: 7 }, { by: 'ann' })])
    expect(wrong).toMatchObject({
      stopReason: 'approval_required',
      refused: [{ reason: expect.stringContaining('do not fit the tool: to') }],
      approvals: [{ id: request!.id }],
    })
    await boss.run([request!.edit({ to: 'ann' }, { by: 'ann' })])
    expect(ran).toMatchObject([{ to: 'ann' }])
  })

  it('two of them, in two calls of one turn: answering one runs that one, the other waits on', async () => {
    const ran: Json[] = []
    const writer = (name: string, to: string) =>
      new Agent({
        name,
        model: new ScriptedChatClient([{ calls: [{ name: 'send_mail', arguments: { to } }] }, `${to} knows.`]),
        tools: [mailer(ran)],
      }).asTool({ name })
    const boss = new Agent({
      model: new ScriptedChatClient([
        {
          calls: [
            { name: 'one', arguments: { task: 'a' } },
            { name: 'two', arguments: { task: 'b' } },
          ],
        },
        'done',
      ]),
      tools: [writer('one', 'ann'), writer('two', 'bob')],
    })
    const asked = await boss.run('go')
    expect(asked.approvals.map(({ path, arguments: args }) => [path, args])).toEqual([
      [['one'], { to: 'ann' }],
      [['two'], { to: 'bob' }],
    ])
    const half = await boss.run([asked.approvals[1]!.approve({ by: 'ann' })])
    expect(half).toMatchObject({ stopReason: 'approval_required', approvals: [{ path: ['one'] }] })
    expect(ran).toMatchObject([{ to: 'bob' }])
    const end = await boss.run(yes(half))
    expect([end.stopReason, ran.length]).toEqual(['answered', 2])
    const calls = await boss.store.journal.calls(end.runId)
    expect(calls.map(({ state }) => state)).toEqual(['Observed', 'Observed'])
  })

  it('two of them, in two calls of one turn, are answered together', async () => {
    const ran: Json[] = []
    const writer = (name: string) =>
      new Agent({ name, model: new ScriptedChatClient([mail, 'Bob knows.']), tools: [mailer(ran)] }).asTool({ name })
    const task = { task: 'a' }
    const boss = new Agent({
      model: new ScriptedChatClient([
        {
          calls: [
            { name: 'one', arguments: task },
            { name: 'two', arguments: task },
          ],
        },
        'done',
      ]),
      tools: [writer('one'), writer('two')],
    })
    const asked = await boss.run('go')
    expect((await boss.run(yes(asked))).stopReason).toBe('answered')
    expect(ran).toHaveLength(2)
  })

  it.each(['hard', 'afterBatch'] as const)('waiting is not another call: limits count it once (%s)', async (mode) => {
    const { boss, ran } = nested({
      outer: { maxFunctionCalls: { limit: 2, mode } },
      asTool: { perRun: { maxInvocations: 1 }, maxInvocations: 1 },
      outerTurns: done(delegate('writer'), { calls: [{ name: 'nothing' }] }, 'done'),
    })
    const asked = await boss.run('go')
    const result = await boss.run(yes(asked))
    expect(ran).toHaveLength(1)
    expect(JSON.stringify(result.messages)).toContain('Bob knows.')
    expect(JSON.stringify(result.messages)).not.toContain('BUDGET_EXCEEDED')
    expect((await boss.store.journal.run(result.runId))?.calls).toBe(1)
  })

  it('are told in a stream of the run around, once each', async () => {
    const { boss } = nested({})
    const updates: RunUpdate[] = []
    for await (const update of boss.stream('go')) updates.push(update)
    const told = updates.flatMap((update) => (update.kind === 'approval-requested' ? [update.approval.tool] : []))
    expect(told).toEqual(['send_mail'])
  })

  it('MAF 44: a call the host answers, made by an agent inside, surfaces and is answered in the conversation around', async () => {
    const askHost = tool({ name: 'ask_host', description: 'Asks.', inputSchema: z.object({}), effects: 'read' })
    const { boss } = nested({
      inner: { tools: [askHost] },
      innerTurns: done({ calls: [{ name: 'ask_host' }] }, 'The host said 7.'),
    })
    const session = await boss.session('s')
    const asked = await boss.run('go', { session })
    expect(asked).toMatchObject({ stopReason: 'client_tool_required', clientCalls: [{ tool: 'ask_host' }] })
    const result = await boss.run(
      asked.clientCalls.map((call) => call.answer(7)),
      { session },
    )
    expect([result.stopReason, result.refused]).toEqual(['answered', []])
    expect(JSON.stringify(result.messages)).toContain('The host said 7.')
  })
})

describe('what governs the call governs the agent inside', () => {
  it.each<readonly [string, unknown]>([
    ['no effect anybody knows', { effect: 'permit', rules: [] }],
    ['nothing', undefined],
    ['rules that are no list', { effect: 'allow', rules: 7 }],
  ])('a policy around that answers %s lets nothing run, whatever the one inside says (law 7)', async (_, answer) => {
    const outer: Policy = {
      decide: ({ tool: { name } }) => (name === 'writer' ? { effect: 'allow', rules: [] } : (answer as Decision)),
    }
    const inner: Policy = { decide: () => ({ effect: 'allow', rules: [] }) }
    const ran: Json[] = []
    const writer = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'I could not.']),
      tools: [mailer(ran, false)],
      policy: inner,
    })
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      const boss = new Agent({
        model: new ScriptedChatClient([delegate('writer'), 'done']),
        tools: [
          writer.with({ policy: other, model: new ScriptedChatClient([mail, 'No.']) }).asTool({ name: 'writer' }),
        ],
        policy: one,
      })
      expect((await boss.run('go')).stopReason).toBe('answered')
    }
    expect(ran).toEqual([])
  })

  it('the stricter of both policies wins, with the rules of both', async () => {
    const { boss, store } = nested({
      outer: { policy: { decide: () => ({ effect: 'allow', rules: ['outer'] }) } },
      inner: { policy: { decide: () => ({ effect: 'ask', rules: ['inner'], reason: 'Inside.' }) } },
    })
    const asked = await boss.run('go')
    expect(asked.approvals).toMatchObject([{ askedBy: 'policy:inner', askReason: 'Inside.' }])
    const [call] = await store.journal.calls(asked.approvals[0]!.runId)
    expect(call?.decision).toEqual({ effect: 'ask', rules: ['inner', 'outer'] })
  })

  it('its auto-approval rules are its own: those around do not approve inside', async () => {
    const around = nested({ outer: { middleware: [toolApproval({ autoApprove: autoApprove.all })] } })
    expect((await around.boss.run('go')).stopReason).toBe('approval_required')
    const inside = nested({ inner: { middleware: [toolApproval({ autoApprove: autoApprove.all })] } })
    expect((await inside.boss.run('go')).stopReason).toBe('answered')
    expect(inside.ran).toHaveLength(1)
  })

  it('standing rules that do not count around do not count inside', async () => {
    const turns = done(delegate('writer'), 'done', delegate('writer'), 'done')
    const innerTurns = done(mail, 'Bob knows.', mail, 'Bob knows.')
    for (const [standingRules, expected] of [
      [true, 'answered'],
      [false, 'approval_required'],
    ] as const) {
      const { boss } = nested({
        innerTurns,
        outerTurns: turns,
        outer: { middleware: [toolApproval({ standingRules })] },
      })
      const asked = await boss.run('go')
      await boss.run(asked.approvals.map((one) => one.approve({ by: 'ann', remember: 'tool', scope: 'user' })))
      expect([standingRules, (await boss.run('again')).stopReason]).toEqual([standingRules, expected])
    }
  })

  it('what the model inside sees is mapped by the observation around, where it has none of its own', async () => {
    const masked: ObservationMapper = { map: () => [{ kind: 'text', text: 'masked' }] }
    const { boss, innerModel } = nested({
      inner: { middleware: [toolApproval({ autoApprove: autoApprove.all })] },
      outer: { observation: masked },
    })
    await boss.run('go')
    expect(JSON.stringify(innerModel.requests[1]?.messages)).toContain('masked')
    expect(JSON.stringify(innerModel.requests[1]?.messages)).not.toContain('sent')
  })

  it('a copy with a stricter contract still asks, and its own inside can be edited', async () => {
    const ran: Json[] = []
    const writer = new Agent({
      name: 'writer',
      model: new ScriptedChatClient([mail, 'Bob knows.']),
      tools: [mailer(ran)],
    })
    const boss = new Agent({
      model: new ScriptedChatClient([delegate('writer'), 'done']),
      tools: [withContract(writer.asTool({ name: 'writer' }), { needsApproval: true })],
    })
    const first = await boss.run('go')
    expect(first.approvals).toMatchObject([{ tool: 'writer', path: [] }])
    const second = await boss.run(yes(first))
    expect(second.approvals).toMatchObject([{ tool: 'send_mail', path: ['writer'] }])
    const end = await boss.run([second.approvals[0]!.edit({ to: 'carl' }, { by: 'ann' })])
    expect(end.stopReason).toBe('answered')
    expect(ran).toMatchObject([{ to: 'carl' }])
  })
})
