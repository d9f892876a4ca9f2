import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  memoryStore,
  tool,
  type AgentOptions,
  type ApprovalResponsePart,
  type CallId,
  type RunResult,
} from './index.ts'
import { ManualClock, ScriptedChatClient, statelessScript } from '../testing/index.ts'

const secret = 'a secret of at least thirty-two characters'
const day = 24 * 60 * 60 * 1000

/** A process without a store of its own: nothing but the secret and the tools are the same in each. */
function process_(options: Partial<AgentOptions> = {}) {
  const ran: string[] = []
  const clock = new ManualClock()
  const look = tool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    effects: 'read',
    execute: () => void ran.push('look'),
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ to: z.string() }),
    effects: 'write',
    needsApproval: true,
    execute: ({ to }) => void ran.push(to),
  })
  const agent = new Agent({
    model: statelessScript([
      {
        text: 'I pay.',
        calls: [{ name: 'look' }, { name: 'pay', arguments: { to: 'bob' } }, { name: 'pay', arguments: { to: 'ann' } }],
      },
      'done',
    ]),
    tools: [look, pay],
    approvalSecret: secret,
    clock,
    ...options,
  })
  return { agent, ran, clock }
}

/** What a host keeps between two processes: text, and nothing else. */
function carried(result: RunResult): {
  readonly continuation: string
  readonly answers: readonly ApprovalResponsePart[]
} {
  const answers = JSON.parse(
    JSON.stringify(result.approvals.map((one) => one.approve({ by: 'ann' }))),
  ) as ApprovalResponsePart[]
  return { continuation: String(result.continuation), answers }
}

describe('continuations', () => {
  it('two processes without a common store: asked in one, decided and carried out in the other', async () => {
    const first = process_()
    const asked = await first.agent.run('go', { principal: { id: 'carl' }, environment: 'prod' })
    // Without a conversation the whole turn is shown, so that nothing is lost.
    expect(asked.approvals.map(({ tool: name }) => name)).toEqual(['pay', 'pay', 'look'])
    const { continuation, answers } = carried(asked)
    const second = process_()
    const result = await second.agent.run(answers, { continuation })
    expect(result).toMatchObject({
      stopReason: 'answered',
      runId: asked.runId,
      text: 'done',
      continuation: null,
      refused: [],
    })
    expect([first.ran, second.ran]).toEqual([[], ['look', 'bob', 'ann']])
    const [run] = await second.agent.store.journal.runs()
    expect(run).toMatchObject({ principal: { id: 'carl' }, environment: 'prod', status: 'ended', lease: null })
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('some answers only: the next continuation carries them on to a third process', async () => {
    const asked = await process_().agent.run('go')
    const { continuation, answers } = carried(asked)
    const half = await process_().agent.run(answers.slice(0, 1), { continuation })
    expect(half).toMatchObject({ stopReason: 'approval_required' })
    expect(half.approvals).toHaveLength(2)
    const third = process_()
    const end = await third.agent.run(answers.slice(1), { continuation: String(half.continuation) })
    expect([end.stopReason, third.ran]).toEqual(['answered', ['look', 'bob', 'ann']])
  })

  it('used twice in one process runs nothing twice', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const second = process_()
    await second.agent.run(answers, { continuation })
    const again = await second.agent.run(answers, { continuation })
    expect(again.refused).toHaveLength(3)
    expect(again.stopReason).toBe('answered')
    expect(second.ran).toHaveLength(3)
  })

  it('in the process that gave it changes nothing: its own store knows better', async () => {
    const first = process_()
    const asked = await first.agent.run('go')
    const { continuation, answers } = carried(asked)
    await first.agent.run(answers.slice(0, 1))
    const result = await first.agent.run(answers, { continuation })
    expect(result.refused).toHaveLength(1)
    expect(first.ran).toHaveLength(3)
  })

  it('cannot promise more: in two processes that know nothing of each other it is used in both', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const [one, other] = [process_(), process_()]
    await one.agent.run(answers, { continuation })
    await other.agent.run(answers, { continuation })
    expect([one.ran.length, other.ran.length]).toEqual([3, 3])
  })

  it('expires like the requests in it', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const second = process_()
    await second.clock.advance(day)
    const result = await second.agent.run(answers, { continuation })
    expect(result).toMatchObject({ stopReason: 'answered' })
    expect(result.refused).toHaveLength(3)
    expect(second.ran).toEqual([])
  })

  it('can be gone on with without an answer, once nobody answers in time', async () => {
    const asked = await process_().agent.run('go')
    const second = process_()
    await second.clock.advance(day)
    const result = await second.agent.resume(asked.runId, { continuation: String(asked.continuation) }).result
    expect([result.stopReason, second.ran]).toEqual(['answered', []])
    expect(JSON.stringify(result.messages)).toContain('APPROVAL_EXPIRED')
  })

  it('of a tool that changed since: asked again, nothing runs', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const ran: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      version: '2',
      inputSchema: z.object({ to: z.string() }),
      effects: 'write',
      needsApproval: true,
      execute: ({ to }) => void ran.push(to),
    })
    const result = await process_({ tools: [pay] }).agent.run(answers, { continuation })
    expect(result.stopReason).toBe('approval_required')
    expect(ran).toEqual([])
  })

  it('in a named conversation: its messages come along, its earlier ones too', async () => {
    const model = statelessScript(['Hello.', { calls: [{ name: 'pay', arguments: { to: 'bob' } }] }, 'done', 'Bye.'])
    const first = process_({ model })
    const session = await first.agent.session('chat')
    await first.agent.run('hi', { session })
    const { continuation, answers } = carried(await first.agent.run('pay', { session }))
    const second = process_({ model })
    const there = await second.agent.session('chat')
    const result = await second.agent.run(answers, { session: there, continuation })
    expect(result.text).toBe('done')
    expect(await there.messages()).toHaveLength(6)
    expect((await second.agent.run('thanks', { session: there })).text).toBe('Bye.')
  })

  it('into a store that holds another conversation of that name is refused, and changes nothing', async () => {
    const first = process_()
    const session = await first.agent.session('chat')
    const { continuation, answers } = carried(await first.agent.run('go', { session }))
    const second = process_({ model: new ScriptedChatClient(['Hello.', 'Bye.']) })
    const there = await second.agent.session('chat')
    await second.agent.run('hi', { session: there })
    await expect(second.agent.run(answers, { continuation })).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
      message: expect.stringContaining('another conversation'),
    })
    expect(second.ran).toEqual([])
    expect((await second.agent.run('still there?', { session: there })).text).toBe('Bye.')
  })

  it('of an agent inside a call comes along and resumes into it', async () => {
    const nested = () => {
      const ran: string[] = []
      const pay = tool({
        name: 'pay',
        description: 'Pays.',
        inputSchema: z.object({ to: z.string() }),
        effects: 'write',
        needsApproval: true,
        execute: ({ to }) => void ran.push(to),
      })
      const clerk = new Agent({
        name: 'clerk',
        model: statelessScript([{ calls: [{ name: 'pay', arguments: { to: 'bob' } }] }, 'Paid.']),
        tools: [pay],
      })
      const boss = new Agent({
        model: statelessScript([{ calls: [{ name: 'clerk', arguments: { task: 'pay' } }] }, 'done']),
        tools: [clerk.asTool({ name: 'clerk' })],
        approvalSecret: secret,
      })
      return { boss, ran }
    }
    const asked = await nested().boss.run('go')
    expect(asked.approvals).toMatchObject([{ path: ['clerk'] }])
    const { continuation, answers } = carried(asked)
    const second = nested()
    const result = await second.boss.run(answers, { continuation })
    expect([result.stopReason, second.ran]).toEqual(['answered', ['bob']])
    expect(JSON.stringify(result.messages)).toContain('Paid.')
  })

  it('of a call in doubt: taken over, settled by a person there, gone on with', async () => {
    const first = process_()
    const { journal } = first.agent.store
    const dying = first.agent.with({
      store: {
        ...first.agent.store,
        close: async () => undefined,
        journal: {
          run: (id) => journal.run(id),
          runs: (filter) => journal.runs(filter),
          calls: (id) => journal.calls(id),
          callsInState: (states, limit) => journal.callsInState(states, limit),
          async append(batch) {
            await journal.append(batch)
            if (batch.some((entry) => entry.kind === 'call-moved' && entry.call.state === 'Executing'))
              throw new Error('dies')
          },
        },
      },
    })
    const asked = await first.agent.run('go')
    await expect(dying.run(asked.approvals.map((one) => one.approve({ by: 'ann' })))).rejects.toThrow('dies')
    const doubtful = await first.agent.resume(asked.runId).result
    expect(doubtful.stopReason).toBe('in_doubt')
    const second = process_()
    const options = { continuation: String(doubtful.continuation) }
    const there = await second.agent.resume(asked.runId, options).result
    expect(there.inDoubt).toHaveLength(2)
    for (const { id } of there.inDoubt) {
      expect(await second.agent.resolveCall(id as CallId, { kind: 'done', by: 'ann' })).toMatchObject({
        kind: 'resolved',
      })
    }
    const end = await second.agent.resume(asked.runId, options).result
    expect([end.stopReason, second.ran]).toEqual(['answered', ['look']])
  })

  it('is given only where there is a secret, and only while the run waits', async () => {
    const { approvalSecret: _, ...none } = { approvalSecret: undefined }
    expect((await process_(none).agent.run('go')).continuation).toBeTypeOf('string')
    const without = new Agent({ model: new ScriptedChatClient(['hi']), approvalSecret: secret })
    expect((await without.run('go')).continuation).toBeNull()
    const ran = new Agent({
      model: statelessScript([{ calls: [{ name: 'pay' }] }, 'done']),
      tools: [
        tool({
          name: 'pay',
          description: 'Pays.',
          inputSchema: z.object({}),
          effects: 'write',
          needsApproval: true,
          execute: () => 1,
        }),
      ],
    })
    expect(await ran.run('go')).toMatchObject({ stopReason: 'approval_required', continuation: null })
  })

  it.each(['short', '', 7, null])('approvalSecret %j is refused', (approvalSecret) => {
    expect(() => process_({ approvalSecret: approvalSecret as string })).toThrow(/approvalSecret must be a text/)
  })

  it('goes with answers, not with a new prompt', async () => {
    const { continuation } = carried(await process_().agent.run('go'))
    await expect(process_().agent.run('go', { continuation })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})

describe('a continuation that was tampered with', () => {
  const resigned = (payload: object, key: string): string => {
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  const payloadOf = (text: string): { version: number; runs: { approvals: { arguments: { to: string } }[] }[] } =>
    JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as never

  const changes: readonly (readonly [string, (text: string) => unknown])[] = [
    [
      'another payload under the old signature',
      (text) => {
        const payload = payloadOf(text)
        payload.runs[0]!.approvals[0]!.arguments.to = 'eve'
        return `${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${text.split('.')[1]}`
      },
    ],
    ['another secret', (text) => resigned(payloadOf(text), 'another secret of thirty-two characters')],
    ['no signature', (text) => `${text.split('.')[0]}.`],
    ['one part', (text) => text.split('.')[0]],
    ['three parts', (text) => `${text}.x`],
    ['a shorter signature', (text) => text.slice(0, -1)],
    ['another signature', (text) => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`],
    ['a cut payload', (text) => text.slice(10)],
    ['one character more', (text) => `A${text}`],
    ['padding', (text) => text.replace('.', '=.')],
    ['nothing', () => ''],
    ['a number', () => 7],
    ['null', () => null],
    ['an object', () => ({})],
  ]

  it.each(changes)('%s: refused, nothing is written, nothing runs', async (_, change) => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const { agent, ran } = process_()
    await expect(agent.run(answers, { continuation: change(continuation) as string })).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
    })
    expect(ran).toEqual([])
    expect(await agent.store.journal.runs()).toEqual([])
  })

  it('a version nobody here knows is refused by its number', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const newer = resigned({ ...payloadOf(continuation), version: 2 }, secret)
    await expect(process_().agent.run(answers, { continuation: newer })).rejects.toThrow(/version 2, expected 1/)
  })

  it('an agent without a secret refuses it', async () => {
    const { continuation, answers } = carried(await process_().agent.run('go'))
    const store = memoryStore()
    const agent = new Agent({ model: new ScriptedChatClient([]), store })
    await expect(agent.run(answers, { continuation })).rejects.toThrow(/no approvalSecret/)
    expect(await store.journal.runs()).toEqual([])
  })

  it('without it another process refuses the answers: it knows no such requests', async () => {
    const { answers } = carried(await process_().agent.run('go'))
    const { agent, ran } = process_()
    await expect(agent.run(answers)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(ran).toEqual([])
  })

  it('holds no secret of the agent', async () => {
    const { continuation } = carried(await process_().agent.run('go'))
    expect(Buffer.from(continuation.split('.')[0] ?? '', 'base64url').toString()).not.toContain(secret)
  })
})
