import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  decideApproval,
  memoryStore,
  systemClock,
  tool,
  type AgentOptions,
  type Json,
  type Policy,
  type RecordedStep,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

async function asked(options: Partial<AgentOptions> = {}, editable = true) {
  const ran: Json[] = []
  const store = memoryStore()
  const steps: RecordedStep[] = []
  const transfer = tool({
    name: 'transfer',
    description: 'Transfers money.',
    inputSchema: z.strictObject({ to: z.string(), amount: z.int().min(1).max(1000), memo: z.string().default('-') }),
    effects: 'write',
    editable,
    needsApproval: ({ arguments: args }) => Number(args['amount']) >= 10,
    execute: (args) => {
      ran.push(args)
      return 'transferred'
    },
  })
  const wipe = tool({
    name: 'wipe',
    description: 'Wipes.',
    inputSchema: z.object({}),
    effects: 'destructive',
    needsApproval: true,
    execute: () => void ran.push('wiped'),
  })
  const model = new ScriptedChatClient([
    { calls: [{ name: 'transfer', arguments: { to: 'bob', amount: 500 } }] },
    'done',
  ])
  const recorder = { record: (some: readonly RecordedStep[]) => void steps.push(...some) }
  const agent = new Agent({ model, tools: [transfer, wipe], store, recorder, ...options })
  const session = await agent.session('s')
  const result = await agent.run('go', { session })
  return { agent, session, store, ran, steps, model, result, request: result.approvals[0]! }
}

describe('an approval with other arguments', () => {
  it('is told the model beside the result, which would else speak of the arguments it wrote', async () => {
    const { agent, session, request, model } = await asked()
    await agent.run([request.edit({ to: 'ann', amount: 20 }, { by: 'ann' })], { session })
    const heard = model.requests.at(-1)?.messages.at(-1)?.parts
    expect(heard).toMatchObject([
      {
        content: [
          {
            kind: 'text',
            text: 'A person changed the arguments of this call before approving it, to {"to":"ann","amount":20,"memo":"-"}',
          },
          { kind: 'text', text: 'transferred' },
        ],
      },
    ])
    const long = await asked()
    const memo = 'x'.repeat(3000)
    await long.agent.run([long.request.edit({ to: 'ann', amount: 20, memo }, { by: 'ann' })], { session: long.session })
    const shown = JSON.stringify(long.model.requests.at(-1)?.messages.at(-1)?.parts)
    expect(shown).toContain('changed the arguments of this call before approving it.')
    expect(shown).not.toContain('xxx')
  })

  it('approved as it was asked is told nothing of', async () => {
    const { agent, session, request, model } = await asked()
    await agent.run([request.approve({ by: 'ann' })], { session })
    expect(model.requests.at(-1)?.messages.at(-1)?.parts).toMatchObject([
      { content: [{ kind: 'text', text: 'transferred' }] },
    ])
  })

  it('runs with them, validated, defaults applied, frozen; the edit is recorded beside what was asked', async () => {
    const { agent, session, store, ran, steps, result, request } = await asked()
    const given = { to: 'ann', amount: 20 }
    const end = await agent.run([request.edit(given, { by: 'ann', reason: 'less' })], { session })
    expect(end.stopReason).toBe('answered')
    expect(ran).toEqual([{ to: 'ann', amount: 20, memo: '-' }])
    expect(Object.isFrozen(ran[0])).toBe(true)
    expect(given).toEqual({ to: 'ann', amount: 20 })
    expect(await store.approvals.get(request.id)).toMatchObject({
      arguments: { to: 'bob', amount: 500, memo: '-' },
      status: 'approved',
      decidedBy: 'ann',
      reason: 'less',
      edited: { arguments: { to: 'ann', amount: 20, memo: '-' } },
    })
    const [call] = await store.journal.calls(result.runId)
    expect(call).toMatchObject({ arguments: { to: 'ann', amount: 20 }, rawArguments: '{"to":"bob","amount":500}' })
    const edited = call?.transitions.find(({ detail }) => JSON.stringify(detail).includes('edited'))
    expect(edited).toMatchObject({ state: 'Validated', detail: { edited: true, by: 'ann', approval: request.id } })
    expect(
      steps.some(({ transitions }) => transitions.some(({ detail }) => JSON.stringify(detail).includes('edited'))),
    ).toBe(true)
    // The conversation keeps what the model wrote.
    expect(JSON.stringify(end.messages)).toContain('500')
  })

  it.each<readonly [string, unknown, string]>([
    ['of a wrong type', { to: 'ann', amount: '20' }, 'amount'],
    ['out of range', { to: 'ann', amount: 5000 }, 'amount'],
    ['with one missing', { amount: 20 }, 'to'],
    ['with one too many', { to: 'ann', amount: 20, all: true }, 'arguments do not fit'],
    ['that are no object', ['ann'], 'must be an object'],
    ['that are no JSON', { to: 'ann', amount: 20, memo: () => 'x' }, 'must be JSON'],
    ['that are a date', { to: 'ann', amount: 20, memo: new Date(0) }, 'must be JSON'],
  ])('%s is refused, says what is wrong, runs nothing, and the request stands', async (_, args, said) => {
    const { agent, session, ran, store, request } = await asked()
    const answer = { ...request.approve({ by: 'ann' }), edit: args as never }
    const outcome = await agent.run([answer], { session }).then(
      (result) => result.refused[0]?.reason ?? '',
      (error: Error) => error.message,
    )
    expect(outcome).toContain(said)
    expect(ran).toEqual([])
    expect(await store.approvals.get(request.id)).toMatchObject({ status: 'pending', edited: null })
    expect((await agent.run([request.approve({ by: 'ann' })], { session })).stopReason).toBe('answered')
    expect(ran).toMatchObject([{ to: 'bob', amount: 500 }])
  })

  it('cannot change the tool', async () => {
    const { agent, session, ran, request } = await asked()
    for (const more of [{ tool: 'wipe' }, { name: 'wipe' }]) {
      const answer = { ...request.edit({ to: 'ann', amount: 20 }, { by: 'ann' }), ...more }
      await agent.run([answer], { session })
      expect(ran).not.toContain('wiped')
    }
    expect(ran.length).toBeLessThanOrEqual(1)
  })

  it('of a tool that is not editable is refused; it can be approved as it is', async () => {
    const { agent, session, ran, request } = await asked({}, false)
    const result = await agent.run([request.edit({ to: 'ann', amount: 20 }, { by: 'ann' })], { session })
    expect(result.refused).toMatchObject([{ reason: expect.stringContaining('may not be changed') }])
    expect([result.stopReason, ran]).toEqual(['approval_required', []])
    await agent.run([request.approve({ by: 'ann' })], { session })
    expect(ran).toHaveLength(1)
  })

  it('is judged by policy again: what it denies does not run', async () => {
    const policy: Policy = {
      decide: ({ arguments: args }) =>
        args['to'] === 'eve'
          ? { effect: 'deny', rules: ['not eve'], reason: 'Not to Eve.' }
          : { effect: 'allow', rules: [] },
    }
    const { agent, session, ran, store, result, request } = await asked({ policy })
    const end = await agent.run([request.edit({ to: 'eve', amount: 20 }, { by: 'ann' })], { session })
    expect([end.stopReason, ran]).toEqual(['answered', []])
    expect(JSON.stringify(end.messages)).toContain('PERMISSION_DENIED')
    const [call] = await store.journal.calls(result.runId)
    expect(call?.decision).toEqual({ effect: 'deny', rules: ['not eve'] })
  })

  it('is consent enough where policy now asks about these very arguments', async () => {
    const policy: Policy = {
      decide: ({ arguments: args }) =>
        args['to'] === 'ann' ? { effect: 'ask', rules: ['ann'] } : { effect: 'allow', rules: [] },
    }
    const { agent, session, ran, request } = await asked({ policy })
    const end = await agent.run([request.edit({ to: 'ann', amount: 20 }, { by: 'ann' })], { session })
    expect(end.stopReason).toBe('answered')
    expect(ran).toHaveLength(1)
  })

  it('to arguments that need no approval runs too', async () => {
    const { agent, session, ran, request } = await asked()
    await agent.run([request.edit({ to: 'ann', amount: 1 }, { by: 'ann' })], { session })
    expect(ran).toMatchObject([{ amount: 1 }])
  })

  it('is decided once: a second answer hears who was first', async () => {
    const { agent, session, ran, request } = await asked()
    const both = [
      request.edit({ to: 'ann', amount: 20 }, { by: 'ann' }),
      request.edit({ to: 'carl', amount: 30 }, { by: 'carl' }),
    ]
    const end = await agent.run(both, { session })
    expect(end.refused).toMatchObject([{ reason: expect.stringContaining('by ann') }])
    expect(ran).toMatchObject([{ to: 'ann' }])
  })

  it('with a refusal is no answer', async () => {
    const { agent, session, request } = await asked()
    const odd = { ...request.deny({ by: 'ann', reason: 'no' }), edit: { to: 'ann', amount: 20 } }
    await expect(agent.run([odd], { session })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  })

  it('where the tools are not at hand is refused rather than taken unchecked', async () => {
    const { store, request } = await asked()
    const answer = { id: request.id, approved: true, by: 'ann', edit: { to: 'ann', amount: 20 } }
    expect(await decideApproval(store, answer, { clock: systemClock })).toMatchObject({
      kind: 'invalid',
      because: expect.stringContaining('not known here'),
    })
  })
})
