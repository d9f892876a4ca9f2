import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  memoryStore,
  textOf,
  tool,
  type ApprovalResponsePart,
  type Decision,
  type Json,
  type Policy,
} from './index.ts'
import { ManualClock, ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const day = 24 * 60 * 60 * 1000

function mailTool(ran: Json[], version = '1') {
  return tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    version,
    inputSchema: z.object({ to: z.string() }),
    effects: 'write',
    needsApproval: true,
    impact: ({ arguments: args }) => `A mail goes to ${JSON.stringify(args['to'])}.`,
    reversible: 'no',
    execute: (args, context) => {
      ran.push({ ...args, call: context.call.id })
      return 'sent'
    },
  })
}

const proposal: ScriptedTurn = { text: 'I want to tell Bob.', calls: [{ name: 'send_mail', arguments: { to: 'bob' } }] }

function setting(turns: readonly ScriptedTurn[] = [proposal, 'done']) {
  const ran: Json[] = []
  const store = memoryStore()
  const clock = new ManualClock()
  const model = new ScriptedChatClient(turns)
  const agent = new Agent({ model, tools: [mailTool(ran)], store, clock, principal: { id: 'tester' } })
  return { ran, store, clock, model, agent }
}

describe('approvals: request out, response in', () => {
  it('stops with a recorded request that says everything a person needs, and runs nothing', async () => {
    const { agent, ran, model, clock } = setting()
    const result = await agent.run('go')
    expect(result.stopReason).toBe('approval_required')
    expect(ran).toEqual([])
    expect(model.remaining).toBe(1)
    expect(result.approvals).toHaveLength(1)
    expect(result.approvals[0]).toMatchObject({
      tool: 'send_mail',
      version: '1',
      arguments: { to: 'bob' },
      risk: 'medium',
      effects: 'write',
      impact: 'A mail goes to "bob".',
      reversible: 'no',
      modelReason: 'I want to tell Bob.',
      askedBy: 'contract',
      status: 'pending',
      expiresAt: clock.now() + day,
    })
  })

  it('an approval runs the call once, in the same run, and the model goes on', async () => {
    const { agent, ran } = setting()
    const asked = await agent.run('go')
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ runId: asked.runId, stopReason: 'answered', text: 'done', refused: [] })
    expect(ran).toHaveLength(1)
    const [call] = await agent.store.journal.calls(asked.runId)
    expect(call?.transitions.map(({ state }) => state)).toEqual([
      'Requested',
      'Validated',
      'PolicyChecked',
      'NeedsApproval',
      'Approved',
      'Executing',
      'Succeeded',
      'Observed',
    ])
  })

  it('a refusal reaches the model with its reason and runs nothing', async () => {
    const { agent, ran, model } = setting()
    const asked = await agent.run('go')
    const result = await agent.run(asked.approvals.map((approval) => approval.deny({ by: 'ann', reason: 'wrong Bob' })))
    expect(result.stopReason).toBe('answered')
    expect(ran).toEqual([])
    const [part] = model.requests[1]?.messages.at(-1)?.parts ?? []
    expect(part).toMatchObject({ kind: 'function_result', status: 'error', errorCode: 'APPROVAL_DENIED' })
    expect(part?.kind === 'function_result' ? textOf(part.content) : '').toContain('wrong Bob')
  })

  it('the same answer twice is refused, says who was first, and runs nothing again', async () => {
    const { agent, ran } = setting()
    const asked = await agent.run('go')
    const answers = asked.approvals.map((approval) => approval.approve({ by: 'ann' }))
    await agent.run(answers)
    const again = await agent.run(answers)
    expect(again.refused).toHaveLength(1)
    expect(again.refused[0]?.reason).toMatch(/^Already approved by ann at 2026-/)
    expect(ran).toHaveLength(1)
  })

  it('the first decision wins: a denial after an approval changes nothing', async () => {
    const { agent, ran } = setting()
    const asked = await agent.run('go')
    const [approval] = asked.approvals
    await agent.run([approval!.approve({ by: 'ann' })])
    const late = await agent.run([approval!.deny({ by: 'bob', reason: 'no' })])
    expect(late.refused[0]?.reason).toContain('by ann')
    expect(ran).toHaveLength(1)
  })

  it('a forged request id is refused and runs nothing', async () => {
    const { agent, ran } = setting()
    await agent.run('go')
    const forged: ApprovalResponsePart = {
      kind: 'function_approval_response',
      id: 'approval_forged',
      approved: true,
      by: 'eve',
    }
    await expect(agent.run([forged])).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(ran).toEqual([])
  })

  it('tool and arguments come from the record; an answer that carries others is refused', async () => {
    const { agent, ran } = setting()
    const asked = await agent.run('go')
    const answer = asked.approvals[0]!.approve({ by: 'ann' })
    const altered = { ...answer, tool: 'wipe', arguments: { to: 'everybody' } }
    expect((await agent.run([altered])).refused).toMatchObject([{ reason: expect.stringContaining('its tool') }])
    expect(ran).toEqual([])
    await agent.run([answer])
    expect(ran).toMatchObject([{ to: 'bob' }])
  })

  it('an answer given in another conversation is refused', async () => {
    const { agent, ran } = setting()
    const asked = await agent.run('go')
    const other = await agent.session('another')
    await expect(agent.run([asked.approvals[0]!.approve({ by: 'ann' })], { session: other })).rejects.toMatchObject({
      code: 'APPROVAL_REFUSED',
      message: expect.stringContaining('another conversation'),
    })
    expect(ran).toEqual([])
  })

  it('expires after 24 hours; the model is told so in other words than a refusal', async () => {
    const { agent, ran, clock, model } = setting()
    const asked = await agent.run('go')
    await clock.advance(day)
    const result = await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(result).toMatchObject({
      stopReason: 'answered',
      refused: [{ reason: expect.stringContaining('Expired at') }],
    })
    expect(ran).toEqual([])
    const [part] = model.requests[1]?.messages.at(-1)?.parts ?? []
    expect(part).toMatchObject({ errorCode: 'APPROVAL_EXPIRED' })
  })

  it('a clock that goes back never revives an expired request', async () => {
    const { agent, ran, clock } = setting()
    const asked = await agent.run('go')
    await clock.advance(day)
    await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    await clock.advance(-2 * day)
    const again = await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(again.refused[0]?.reason).toContain('Expired')
    expect(ran).toEqual([])
  })

  it('a tool that changed between question and claim is asked about again', async () => {
    const { agent, ran, store, clock } = setting()
    const asked = await agent.run('go')
    const changed = new Agent({ model: new ScriptedChatClient(['done']), tools: [mailTool(ran, '2')], store, clock })
    const again = await changed.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(again.stopReason).toBe('approval_required')
    expect(again.approvals).toMatchObject([{ tool: 'send_mail', version: '2' }])
    expect(again.approvals[0]?.id).not.toBe(asked.approvals[0]?.id)
    expect(ran).toEqual([])
    const done = await changed.run([again.approvals[0]!.approve({ by: 'ann' })])
    expect(done.stopReason).toBe('answered')
    expect(ran).toHaveLength(1)
  })

  it.each<readonly [string, Decision, string, number]>([
    [
      'a policy that now denies refuses the claim',
      { effect: 'deny', rules: ['freeze'], reason: 'Change freeze.' },
      'answered',
      0,
    ],
    ['a policy that still asks keeps the approval', { effect: 'ask', rules: ['mails'] }, 'answered', 1],
    ['a policy that allows keeps the approval', { effect: 'allow', rules: [] }, 'answered', 1],
  ])('%s', async (_, decision, stopReason, runs) => {
    const { agent, ran, store, clock } = setting()
    const asked = await agent.run('go')
    const policy: Policy = { decide: () => decision }
    const later = agent.with({ policy, store, clock, model: new ScriptedChatClient(['done']) })
    const result = await later.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(result.stopReason).toBe(stopReason)
    expect(ran).toHaveLength(runs)
  })

  it('a policy that throws denies with POLICY_ERROR (law 7)', async () => {
    const ran: Json[] = []
    const policy: Policy = {
      decide: () => {
        throw new Error('the rules are broken')
      },
    }
    const store = memoryStore()
    const agent = new Agent({
      model: new ScriptedChatClient([proposal, 'done']),
      tools: [mailTool(ran)],
      policy,
      store,
    })
    const result = await agent.run('go')
    expect(result.stopReason).toBe('answered')
    expect((await store.journal.calls(result.runId))[0]).toMatchObject({
      decision: { effect: 'deny' },
      result: { errorCode: 'POLICY_ERROR' },
    })
    expect(ran).toEqual([])
  })

  it('a recorder that rejects stops the call before it runs (law 7)', async () => {
    const ran: string[] = []
    const write = tool({
      name: 'write_it',
      description: 'Writes.',
      inputSchema: z.object({}),
      effects: 'write',
      execute: () => ran.push('ran'),
    })
    const recorder = { record: () => Promise.reject(new Error('the audit disk is full')) }
    const agent = new Agent({
      model: new ScriptedChatClient([{ calls: [{ name: 'write_it' }] }, 'done']),
      tools: [write],
      recorder,
    })
    const result = await agent.run('go')
    expect(result.stopReason).toBe('answered')
    expect(ran).toEqual([])
    expect((await agent.store.journal.calls(result.runId))[0]).toMatchObject({
      state: 'Observed',
      result: { errorCode: 'POLICY_ERROR' },
    })
  })

  it('a mixed batch waits whole: the safe sibling runs with the answer, not before', async () => {
    const ran: Json[] = []
    const log: string[] = []
    const read = tool({
      name: 'read_it',
      description: 'Reads.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => log.push('read'),
    })
    const model = new ScriptedChatClient([
      {
        calls: [
          { name: 'read_it' },
          { name: 'send_mail', arguments: { to: 'b' } },
          { name: 'send_mail', arguments: { to: 'c' } },
        ],
      },
      'done',
    ])
    const agent = new Agent({ model, tools: [read, mailTool(ran)] })
    const session = await agent.session()
    const asked = await agent.run('go', { session })
    expect(asked.approvals.map((approval) => approval.arguments)).toEqual([{ to: 'b' }, { to: 'c' }])
    expect(log).toEqual([])
    const half = await agent.run([asked.approvals[0]!.approve({ by: 'ann' })])
    expect(half).toMatchObject({ stopReason: 'approval_required', approvals: [{ arguments: { to: 'c' } }] })
    expect([log, ran]).toEqual([[], []])
    const done = await agent.run([half.approvals[0]!.deny({ by: 'ann', reason: 'no' })])
    expect(done.stopReason).toBe('answered')
    expect(log).toEqual(['read'])
    expect(ran).toMatchObject([{ to: 'b' }])
    const results = done.messages
      .at(-2)
      ?.parts.map((part) => (part.kind === 'function_result' ? (part.errorCode ?? part.status) : '?'))
    expect(results).toEqual(['success', 'success', 'APPROVAL_DENIED'])
  })

  it('a conversation that waits for an answer takes no other run', async () => {
    const { agent } = setting()
    const session = await agent.session('s')
    await agent.run('go', { session })
    await expect(agent.run('something else', { session })).rejects.toMatchObject({ code: 'RUN_BUSY' })
  })
})
