import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, chatMiddleware, memoryStore, tool, withContract, type Store, type Tool } from './index.ts'
import { ScriptedChatClient, statelessScript } from '../testing/index.ts'

type Pay = { readonly schema: z.ZodType; readonly ran: unknown[] }

function payAgent(store: Store, { schema, ran }: Pay): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: schema,
    effects: 'write',
    needsApproval: true,
    execute: (args) => void ran.push(args),
  })
  const model = statelessScript([{ calls: [{ name: 'pay', arguments: { euros: 20 } }] }, 'The end.'])
  return new Agent({ store, model, tools: [pay] })
}

describe('a tool whose schema changed while its call waited', () => {
  it.each([
    ['needs more', z.strictObject({ euros: z.number(), to: z.string() })],
    ['allows less', z.strictObject({ euros: z.number().max(10) })],
  ])('and %s: what does not fit never reaches execute, and nobody is asked about it', async (_, schema) => {
    const store = memoryStore()
    const ran: unknown[] = []
    const first = await payAgent(store, { schema: z.strictObject({ euros: z.number() }), ran }).run('go')
    const remembering = first.approvals.map((one) => one.approve({ by: 'ann', remember: 'tool', scope: 'user' }))
    const result = await payAgent(store, { schema, ran }).run(remembering)
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [] })
    expect(ran).toEqual([])
    const [call] = await store.journal.calls(first.runId)
    expect(call?.result?.errorCode).toBe('INVALID_ARGUMENT')
  })

  it('and fits still: it is asked about again, with the defaults of now', async () => {
    const store = memoryStore()
    const ran: unknown[] = []
    const first = await payAgent(store, { schema: z.strictObject({ euros: z.number() }), ran }).run('go')
    const now = z.strictObject({ euros: z.number(), memo: z.string().default('-') })
    const agent = payAgent(store, { schema: now, ran })
    const again = await agent.run(first.approvals.map((one) => one.approve({ by: 'ann' })))
    expect(again.approvals).toMatchObject([{ arguments: { euros: 20, memo: '-' } }])
    const end = await agent.run(again.approvals.map((one) => one.approve({ by: 'ann' })))
    expect(end.stopReason).toBe('answered')
    expect(ran).toEqual([{ euros: 20, memo: '-' }])
  })
})

it('a tool that was put in the place of another stays there when the run goes on after waiting', async () => {
  const ran: string[] = []
  const inputSchema = z.object({})
  const made = (name: string, options: object): Tool =>
    tool({ name, description: 'Does it.', inputSchema, execute: () => void ran.push(name), ...options })
  const danger = made('pay', { execute: () => void ran.push('danger') })
  const safe = made('pay', { needsApproval: true, execute: () => void ran.push('safe') })
  const swap = made('swap', {
    execute: (_: unknown, { tools }: { tools: { add: (one: unknown) => void; remove: (name: string) => void } }) => {
      tools.remove('pay')
      tools.add(safe)
    },
  })
  const ask = made('ask', { needsApproval: true })
  const turn = (name: string) => ({ calls: [{ name, arguments: {} }] })
  const agent = new Agent({
    model: new ScriptedChatClient([turn('swap'), turn('ask'), turn('pay'), turn('ask'), turn('pay'), 'The end.']),
    tools: [danger, swap, ask],
  })
  let result = await agent.run('go')
  const asked: string[] = []
  while (result.stopReason === 'approval_required') {
    asked.push(...result.approvals.map(({ tool: name }) => name))
    result = await agent.run(result.approvals.map((one) => one.approve({ by: 'ann' })))
  }
  expect(asked).toEqual(['ask', 'pay', 'ask', 'pay'])
  expect(ran).toEqual(['ask', 'safe', 'ask', 'safe'])
})

it('what is remembered for a user of one tenant counts for no user of another', async () => {
  const store = memoryStore()
  const ran: unknown[] = []
  const schema = z.strictObject({ euros: z.number() })
  const agent = payAgent(store, { schema, ran })
  const as = (principal: { id: string; tenant?: string }) => agent.run('go', { principal })
  const first = await as({ id: '1', tenant: 'a' })
  await agent.run(first.approvals.map((one) => one.approve({ by: 'ann', remember: 'tool', scope: 'user' })))
  expect(ran).toHaveLength(1)
  for (const other of [{ id: '1', tenant: 'b' }, { id: '1' }, { id: '["a","1"]' }]) {
    expect((await as(other)).stopReason).toBe('approval_required')
  }
  expect((await as({ id: '1', tenant: 'a' })).stopReason).toBe('answered')
})

it('what a rule approved waits no longer than the rule: revoked meanwhile, a person is asked', async () => {
  const ran: string[] = []
  const inputSchema = z.object({})
  const made = (name: string): Tool =>
    tool({
      name,
      description: 'Does it.',
      inputSchema,
      effects: 'write',
      needsApproval: true,
      execute: () => void ran.push(name),
    })
  for (const isRevoked of [false, true]) {
    ran.length = 0
    const store = memoryStore()
    const both = { calls: ['pay', 'ask'].map((name) => ({ name, arguments: {} })) }
    const model = statelessScript([{ calls: [{ name: 'pay', arguments: {} }] }, 'The end.'])
    const tools = [made('pay'), made('ask')]
    const agent = new Agent({ store, model, tools })
    const first = await agent.run('go')
    await agent.run(first.approvals.map((one) => one.approve({ by: 'ann', remember: 'tool', scope: 'user' })))
    const next = new Agent({ store, model: statelessScript([both, 'The end.']), tools })
    const waiting = await next.run('both')
    expect(waiting.approvals.map(({ tool: name }) => name)).toEqual(['ask'])
    const [rule] = await store.rules.list()
    if (isRevoked) await store.journal.append([{ kind: 'rule-revoked', id: rule?.id ?? '', by: 'bob', at: Date.now() }])
    const result = await next.run(waiting.approvals.map((one) => one.approve({ by: 'ann' })))
    expect(result.approvals.map(({ tool: name }) => name)).toEqual(isRevoked ? ['pay'] : [])
    expect(ran).toEqual(isRevoked ? ['pay'] : ['pay', 'pay', 'ask'])
  }
})

it('a request that stands for ever stands until the last moment there is a name for', async () => {
  const agent = new Agent({
    approvalTtlMs: Number.MAX_SAFE_INTEGER,
    model: statelessScript([{ calls: [{ name: 'pay', arguments: {} }] }, 'The end.']),
    tools: [
      tool({ name: 'pay', description: 'Pays.', inputSchema: z.object({}), needsApproval: true, execute: () => 1 }),
    ],
  })
  const { approvals } = await agent.run('go')
  expect(approvals.map(({ expiresAt }) => new Date(expiresAt).toISOString())).toEqual(['9999-12-31T23:59:59.999Z'])
  const far = approvals.map((one) => one.approve({ by: 'ann', remember: 'tool', expiresAt: 9e15 }))
  expect((await agent.run(far)).refused).toMatchObject([{ reason: expect.stringContaining('before the year 10000') }])
})

it('a tool that declares worse than its card said is asked about again', async () => {
  const store = memoryStore()
  let ran = 0
  const agentWith = (declared: object): Agent => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.strictObject({}),
      effects: 'write',
      needsApproval: true,
      execute: () => void ran++,
      ...declared,
    })
    return new Agent({
      store,
      model: statelessScript([{ calls: [{ name: 'pay', arguments: {} }] }, 'The end.']),
      tools: [pay],
    })
  }
  const first = await agentWith({}).run('go')
  const worse = agentWith({ effects: 'destructive', risk: 'critical' })
  const again = await worse.run(first.approvals.map((one) => one.approve({ by: 'ann' })))
  expect(again.approvals).toMatchObject([{ effects: 'destructive', risk: 'critical' }])
  expect(ran).toBe(0)
  await worse.run(again.approvals.map((one) => one.approve({ by: 'ann' })))
  expect(ran).toBe(1)
})

it.each([
  ['idempotency', { idempotency: { windowMs: 1e15 } }],
  ['idempotency', { idempotency: null }],
  ['costUsd', { costUsd: 0 }],
  ['costUsd', { costUsd: null }],
  ['reversible', { reversible: 'yes' }],
] as const)('withContract sees that other %s is looser: %o', (field, changes) => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.strictObject({}),
    effects: 'write',
    class: 'idempotencyKey',
    idempotency: { windowMs: 1000 },
    costUsd: 5,
    reversible: 'no',
    execute: () => 1,
  })
  expect(() => withContract(pay, changes)).toThrow(new RegExp(`would loosen ${field}`))
  expect(withContract(pay, changes, { operator: true }).contract.loosened).toEqual([field])
})

it.each([
  ['a list', () => []],
  ['a promise', async () => undefined],
  ['object', () => ({ kind: 'nothing we know' })],
  ['null', () => null],
])('a hook that gives %s for a piece fails the turn and says so: no call is dropped unseen', async (found, map) => {
  const model = statelessScript([{ calls: [{ name: 'pay', arguments: {} }] }, 'The end.'])
  const hooked = chatMiddleware((context, next) => {
    context.stream.map(map as never)
    return next()
  })
  for (const streamed of [false, true]) {
    const agent = new Agent({ model, middleware: hooked })
    const result = await (streamed ? agent.stream('go').result : agent.run('go'))
    expect(result).toMatchObject({ stopReason: 'model_error', error: expect.stringContaining(`found ${found}`) })
  }
})
