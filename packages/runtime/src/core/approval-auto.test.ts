import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  autoApprove,
  functionMiddleware,
  memoryStore,
  seesViolations,
  tool,
  toolApproval,
  type AgentOptions,
  type AutoApprovalRequest,
  type AutoApprovalRule,
  type Policy,
  type RunUpdate,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedCall, type ScriptedTurn } from '../testing/index.ts'

function tools(log: string[]) {
  const input = z.object({ n: z.number() })
  const make = (name: string, effects: 'read' | 'write', needsApproval: boolean) =>
    tool({
      name,
      description: `Does ${name}.`,
      inputSchema: input,
      effects,
      needsApproval,
      execute: ({ n }) => {
        log.push(`${name} ${n}`)
        return `${name} ${n}`
      },
    })
  return [make('read_secret', 'read', true), make('pay', 'write', true), make('look', 'read', false)]
}

const call = (name: string, n = 1): ScriptedCall => ({ name, arguments: { n } })
const turnOf = (...calls: readonly ScriptedCall[]): ScriptedTurn => ({ calls })

function setting(
  turns: readonly ScriptedTurn[],
  rules: AutoApprovalRule | readonly AutoApprovalRule[],
  options: Partial<AgentOptions> = {},
) {
  const log: string[] = []
  const model = new ScriptedChatClient([...turns, 'done'])
  const store = memoryStore()
  const clock = new ManualClock()
  const agent = new Agent({
    model,
    tools: tools(log),
    store,
    clock,
    middleware: [toolApproval({ autoApprove: rules })],
    ...options,
  })
  return { log, model, store, clock, agent }
}

const asks: Policy = { decide: () => ({ effect: 'ask', rules: ['prod'], reason: 'It is production.' }) }

describe('auto-approval', () => {
  it('readOnly approves calls of tools that only read; others are asked about', async () => {
    const { agent, log } = setting([turnOf(call('read_secret')), turnOf(call('pay'))], autoApprove.readOnly)
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'approval_required', approvals: [{ tool: 'pay' }] })
    expect(log).toEqual(['read_secret 1'])
  })

  it('all approves every request of a contract', async () => {
    const { agent, log } = setting([turnOf(call('read_secret'), call('pay'))], autoApprove.all)
    expect((await agent.run('go')).stopReason).toBe('answered')
    expect(log).toEqual(['read_secret 1', 'pay 1'])
  })

  it('the first rule that answers true wins, and the record names it; false, throwing and odd answers ask on', async () => {
    const seen: string[] = []
    const named = (name: string, answer: unknown): AutoApprovalRule =>
      // oxlint-disable-next-line func-names -- the name is set below
      Object.defineProperty(
        () => {
          seen.push(name)
          if (answer instanceof Error) throw answer
          return answer as boolean
        },
        'name',
        { value: name },
      )
    const rules = [
      named('no', false),
      named('throws', new Error('broken')),
      named('rejects', Promise.reject(new Error('broken'))),
      named('truthy', 'yes'),
      named('later', Promise.resolve(true)),
      named('never-asked', true),
    ]
    const { agent, store, log } = setting([turnOf(call('pay'))], rules)
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [] })
    expect(seen).toEqual(['no', 'throws', 'rejects', 'truthy', 'later'])
    expect(log).toEqual(['pay 1'])
    expect(await store.approvals.list({ runId: result.runId })).toMatchObject([
      { tool: 'pay', status: 'approved', decidedBy: 'auto:later', arguments: { n: 1 }, askedBy: 'contract' },
    ])
    const [known] = await store.journal.calls(result.runId)
    expect(known?.transitions.find(({ state }) => state === 'Approved')?.detail).toMatchObject({ by: 'auto:later' })
  })

  it('where every rule fails a person is asked', async () => {
    const rule: AutoApprovalRule = () => {
      throw new Error('broken')
    }
    const { agent, log } = setting([turnOf(call('pay'))], [rule, async () => Promise.reject(new Error('broken'))])
    expect((await agent.run('go')).stopReason).toBe('approval_required')
    expect(log).toEqual([])
  })

  it('a rule that never answers ends with its run: aborted, nothing ran, every call answered', async () => {
    const abort = new AbortController()
    const { agent, log } = setting([turnOf(call('pay'))], () => {
      setImmediate(() => abort.abort())
      return new Promise<boolean>(() => undefined)
    })
    const session = await agent.session('s')
    const result = await agent.run('go', { session, signal: abort.signal })
    expect(result.stopReason).toBe('aborted')
    expect(log).toEqual([])
    expect((await session.messages()).at(-1)).toMatchObject({ role: 'tool', parts: [{ errorCode: 'CANCELLED' }] })
    expect(await agent.store.approvals.list({ status: 'pending' })).toEqual([])
  })

  it('a rule that never answers ends with the deadline of its run', async () => {
    const clock = new ManualClock()
    let tell: () => void = () => undefined
    const isAsked = new Promise<void>((resolve) => (tell = resolve))
    const rule: AutoApprovalRule = () => {
      tell()
      return new Promise<boolean>(() => undefined)
    }
    const { agent, log } = setting([turnOf(call('pay'))], rule, { clock, deadlineMs: 1000 })
    const session = await agent.session('s')
    const running = agent.run('go', { session })
    await isAsked
    await clock.advance(1000)
    expect((await running).stopReason).toBe('budget_limit')
    expect(log).toEqual([])
    expect(JSON.stringify(await session.messages())).toContain('CANCELLED')
  })

  it('a rule is told call, contract, arguments, agent, conversation, principal and environment', async () => {
    const told: AutoApprovalRequest[] = []
    const { agent } = setting([turnOf(call('pay', 7))], (request) => {
      told.push(request)
      return true
    })
    const session = await agent.session('s')
    await agent.run('go', { session, principal: { id: 'ann' }, environment: 'staging' })
    expect(told).toMatchObject([
      {
        call: { tool: 'pay', state: 'NeedsApproval' },
        contract: { name: 'pay', effects: 'write' },
        arguments: { n: 7 },
        agent: 'agent',
        session: { id: 's' },
        principal: { id: 'ann' },
        environment: 'staging',
        violation: null,
      },
    ])
    expect(Object.isFrozen(told[0]?.call)).toBe(true)
    expect(() => Object.assign(told[0]?.arguments ?? {}, { n: 8 })).toThrow(TypeError)
  })

  it('what a policy asks about is put only to rules that see violations', async () => {
    const blind: string[] = []
    const rules: readonly AutoApprovalRule[] = [() => Boolean(blind.push('asked')), autoApprove.all]
    const blindly = setting([turnOf(call('look'))], rules, { policy: asks })
    expect((await blindly.agent.run('go')).stopReason).toBe('approval_required')
    expect(blind).toEqual([])

    const told: unknown[] = []
    const knowing = setting(
      [turnOf(call('look'))],
      seesViolations(({ violation }) => Boolean(told.push(violation))),
      { policy: asks },
    )
    expect((await knowing.agent.run('go')).stopReason).toBe('answered')
    expect(told).toEqual([{ askedBy: 'policy:prod', reason: 'It is production.' }])
  })

  it('what middleware asks about is put to rules that see violations, and the call runs once', async () => {
    const gate = functionMiddleware(
      async (context, next) => {
        context.requireApproval({ reason: 'Large.' })
        await next()
      },
      { name: 'gate' },
    )
    const told: unknown[] = []
    const rule = seesViolations(({ violation }) => Boolean(told.push(violation)))
    const { agent, log, store } = setting([turnOf(call('look'))], [], {
      middleware: [toolApproval({ autoApprove: rule }), gate],
    })
    const result = await agent.run('go')
    expect(result).toMatchObject({ stopReason: 'answered', approvals: [] })
    expect(told).toEqual([{ askedBy: 'middleware:gate', reason: 'Large.' }])
    expect(log).toEqual(['look 1'])
    expect(await store.approvals.list({ runId: result.runId })).toMatchObject([
      { askedBy: 'middleware:gate', status: 'approved' },
    ])
  })

  it('a policy that turns stricter before the claim is not answered by a rule that did not see it', async () => {
    let isStrict = false
    const policy: Policy = {
      decide: (question) =>
        isStrict
          ? { effect: 'ask', rules: ['freeze'], reason: 'Freeze.' }
          : { effect: 'allow', rules: [question.tool.name] },
    }
    const onlyRead: AutoApprovalRule = ({ contract }) => contract.name === 'read_secret'
    const { agent, log } = setting([turnOf(call('read_secret'), call('pay'), call('look'))], onlyRead, { policy })
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    expect(asked.approvals).toMatchObject([{ tool: 'pay' }])
    isStrict = true
    const again = await agent.run(
      asked.approvals.map((approval) => approval.approve({ by: 'ann' })),
      { session },
    )
    // A person has consented to `pay`; a rule, and nobody, to the two others.
    expect(again.approvals.map(({ tool: name, askedBy }) => [name, askedBy])).toEqual([
      ['read_secret', 'policy:freeze'],
      ['look', 'policy:freeze'],
    ])
    expect(log).toEqual([])
    const done = await agent.run(
      again.approvals.map((approval) => approval.approve({ by: 'ann' })),
      { session },
    )
    expect(done.stopReason).toBe('answered')
    expect(log).toEqual(['read_secret 1', 'pay 1', 'look 1'])
  })

  it('a policy that denies at the claim refuses what a rule approved', async () => {
    let isFrozen = false
    const policy: Policy = {
      decide: () => (isFrozen ? { effect: 'deny', rules: ['freeze'] } : { effect: 'allow', rules: [] }),
    }
    const { agent, log } = setting(
      [turnOf(call('read_secret'), call('pay'))],
      ({ contract }) => contract.name === 'read_secret',
      { policy },
    )
    const session = await agent.session('s')
    const asked = await agent.run('go', { session })
    isFrozen = true
    await agent.run(
      asked.approvals.map((approval) => approval.approve({ by: 'ann' })),
      { session },
    )
    expect(log).toEqual([])
  })

  it('approved requests are recorded, but neither in result.approvals nor told as asked in a stream', async () => {
    const { agent, store } = setting(
      [turnOf(call('read_secret'), call('pay'))],
      ({ contract }) => contract.effects === 'read',
    )
    const session = await agent.session('s')
    const updates: RunUpdate[] = []
    const stream = agent.stream('go', { session })
    for await (const update of stream) updates.push(update)
    const result = await stream.result
    expect(result.approvals.map((approval) => approval.tool)).toEqual(['pay'])
    const told = updates.flatMap((update) => (update.kind === 'approval-requested' ? [update.approval.tool] : []))
    expect(told).toEqual(['pay'])
    const recorded = await store.approvals.list({ runId: result.runId })
    expect(recorded.map((approval) => [approval.tool, approval.status, approval.decidedBy])).toEqual([
      ['read_secret', 'approved', 'auto:1'],
      ['pay', 'pending', null],
    ])
  })

  it('rules of the run stand behind those of the agent', async () => {
    const order: string[] = []
    const rule =
      (name: string): AutoApprovalRule =>
      () => {
        order.push(name)
        return false
      }
    const { agent } = setting([turnOf(call('pay'))], [rule('agent 1'), rule('agent 2')])
    await agent.run('go', { middleware: [toolApproval({ autoApprove: rule('run') })] })
    expect(order).toEqual(['agent 1', 'agent 2', 'run'])
  })

  it('without toolApproval nothing is approved by itself', async () => {
    const { agent, log } = setting([turnOf(call('read_secret'))], [], { middleware: [] })
    expect((await agent.run('go')).stopReason).toBe('approval_required')
    expect(log).toEqual([])
  })

  it('a host call goes through the same rules', async () => {
    const { agent, log } = setting([], autoApprove.all)
    expect((await agent.call('pay', { n: 3 }).result).stopReason).toBe('answered')
    expect(log).toEqual(['pay 3'])
  })

  it('a call that is shown only for its neighbours is put to no rule', async () => {
    const asked: string[] = []
    const { agent } = setting([turnOf(call('look'), call('pay'))], (request) => {
      asked.push(request.contract.name)
      return false
    })
    const result = await agent.run('go')
    expect(result.approvals.map(({ tool: name }) => name)).toEqual(['pay', 'look'])
    expect(asked).toEqual(['pay'])
  })
})
