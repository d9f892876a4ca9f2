import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  functionMiddleware,
  textOf,
  tool,
  ToolError,
  type AgentOptions,
  type FunctionResultPart,
  type Json,
  type Policy,
} from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

/** Calls one tool once; gives what the model was told, the call's record and every warning. */
async function callOnce(
  execute: () => unknown,
  options: Partial<AgentOptions> & { readonly needsApproval?: () => boolean | Promise<boolean> } = {},
) {
  const { needsApproval, ...others } = options
  const warnings: { readonly text: string; readonly fields: { readonly [key: string]: Json } | undefined }[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    effects: 'write',
    ...(needsApproval === undefined ? {} : { needsApproval }),
    execute,
  })
  const agent = new Agent({
    model: new ScriptedChatClient([{ calls: [{ name: 'pay', arguments: {} }] }, 'done']),
    tools: [pay],
    logger: { info: () => undefined, warn: (text, fields) => void warnings.push({ text, fields }) },
    ...others,
  })
  const result = await agent.run('go')
  const answer = result.messages
    .flatMap((message) => message.parts)
    .find((part): part is FunctionResultPart => part.kind === 'function_result')
  const [call] = await agent.store.journal.calls(result.runId)
  return { result, shown: textOf(answer?.content ?? []), call, warnings, agent }
}

/** As a program without types writes one. */
const answering = (decision: unknown): Policy => ({ decide: () => decision as ReturnType<Policy['decide']> })

describe('a policy that cannot be understood', () => {
  it.each<[string, Policy, string]>([
    ['throws', { decide: () => Promise.reject(new Error('no rules file')) }, 'the policy threw: no rules file'],
    [
      'throws at once',
      {
        decide() {
          throw new Error('no rules file')
        },
      },
      'the policy threw: no rules file',
    ],
    ['answers an effect nobody knows', answering({ effect: 'require_approval' }), '{"effect":"require_approval"}'],
    ['answers a bare word', answering('ask'), 'the policy answered "ask"'],
    ['answers true', answering(true), 'the policy answered true'],
    ['answers nothing', answering(undefined), 'the policy answered undefined'],
    ['answers null later', answering(Promise.resolve(null)), 'the policy answered null'],
    ['names rules that are no texts', answering({ effect: 'allow', rules: [1] }), '{"effect":"allow","rules":[1]}'],
    ['gives a reason that is no text', answering({ effect: 'deny', rules: [], reason: 1 }), '"reason":1'],
    [
      'answers what cannot be looked at',
      answering({
        get effect() {
          throw new Error('gone')
        },
      }),
      'the policy answered what cannot be read',
    ],
  ])('%s: the call does not run and the log says why, once', async (_, policy, expected) => {
    let ran = 0
    const { call, shown, warnings } = await callOnce(() => ran++, { policy })
    expect(ran).toBe(0)
    expect(call).toMatchObject({ state: 'Observed', result: { status: 'error', errorCode: 'POLICY_ERROR' } })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ fields: { call: call?.id } })
    expect(warnings[0]?.text).toContain('Tool "pay": the rules could not be evaluated, so the call did not run: ')
    expect(warnings[0]?.text).toContain(expected)
    expect(shown).not.toContain('no rules file')
  })

  it('says what is expected of an answer', async () => {
    const { warnings } = await callOnce(() => null, { policy: answering('ask') })
    expect(warnings[0]?.text).toContain(
      'expected { effect: "allow", "ask" or "deny", rules: the names of the rules that matched }',
    )
  })

  it.each([
    ['allow', 'answered', 1],
    ['deny', 'answered', 0],
    ['ask', 'approval_required', 0],
  ] as const)('"%s" without rules is that decision with none', async (effect, stopReason, times) => {
    let ran = 0
    const { result, call, warnings } = await callOnce(() => ran++, { policy: answering({ effect }) })
    expect([result.stopReason, ran]).toEqual([stopReason, times])
    expect(call?.decision).toEqual({ effect, rules: [] })
    expect(warnings).toEqual([])
  })

  it('a needsApproval that throws is told too', async () => {
    let ran = 0
    for (const needsApproval of [
      () => Promise.reject(new Error('no list of amounts')),
      () => {
        throw new Error('no list of amounts')
      },
    ]) {
      const { call, warnings } = await callOnce(() => ran++, { needsApproval })
      expect(call?.result).toMatchObject({ errorCode: 'POLICY_ERROR' })
      expect(warnings.map(({ text }) => text)).toEqual([
        expect.stringContaining('needsApproval threw: no list of amounts'),
      ])
    }
    expect(ran).toBe(0)
  })

  it('is told when the policy is asked again after a person approved', async () => {
    let asked = 0
    let ran = 0
    const warnings: string[] = []
    const policy: Policy = {
      decide() {
        if (asked++ > 0) throw new Error('rules are gone')
        return { effect: 'ask', rules: ['large'] }
      },
    }
    const logger = { info: () => undefined, warn: (text: string) => void warnings.push(text) }
    const { result, agent } = await callOnce(() => ran++, { policy, logger })
    await agent.run(result.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(ran).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('the policy threw: rules are gone')])
  })

  it('inside another agent both policies may leave rules out; a wrong answer of either stops the call', async () => {
    let ran = 0
    const inside = async (inner: Policy, outer: Policy) => {
      const warnings: string[] = []
      const pay = tool({ name: 'pay', description: 'Pays.', inputSchema: z.object({}), execute: () => ran++ })
      const payer = new Agent({
        model: new ScriptedChatClient([{ calls: [{ name: 'pay', arguments: {} }] }, 'paid']),
        tools: [pay],
        policy: inner,
      })
      const agent = new Agent({
        model: new ScriptedChatClient([{ calls: [{ name: 'payer', arguments: { task: 'pay' } }] }, 'done']),
        tools: [payer.asTool({ name: 'payer' })],
        policy: outer,
        logger: { info: () => undefined, warn: (text) => void warnings.push(text) },
      })
      await agent.run('go')
      return warnings
    }
    const allow = answering({ effect: 'allow' })
    expect(await inside(allow, answering({ effect: 'allow' }))).toEqual([])
    expect(ran).toBe(1)
    expect(await inside(answering({ effect: 'yes' }), allow)).toEqual([
      expect.stringContaining('the policy answered {"effect":"yes"}'),
    ])
    expect(ran).toBe(1)
  })
})

describe('a tool that fails with what is no ToolError', () => {
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('disk is full')
      },
      'disk is full',
    ],
    ['rejects', () => Promise.reject(new TypeError('x is not a function')), 'x is not a function'],
    // Whatever a tool throws may be no error at all.
    ['rejects with nothing', () => Promise.reject(undefined as unknown as Error), 'not an error'],
  ])('%s: the log has its text once, the model has not', async (_, execute, text) => {
    const { call, shown, warnings } = await callOnce(execute)
    expect(call?.result).toMatchObject({ errorCode: 'INTERNAL' })
    expect(warnings).toEqual([
      { text: expect.stringContaining(`Tool "pay" failed with INTERNAL: `), fields: { call: call?.id } },
    ])
    expect(warnings[0]?.text).toContain(text)
    expect(shown).not.toContain(text)
  })

  it('is told once through middleware', async () => {
    const { warnings } = await callOnce(() => Promise.reject(new Error('disk is full')), {
      middleware: functionMiddleware(async (_context, next) => next(), { name: 'watch' }),
    })
    expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining('disk is full')])
  })

  it('a ToolError is nothing to warn of', async () => {
    for (const code of ['NOT_FOUND', 'INTERNAL']) {
      const { call, warnings } = await callOnce(() => Promise.reject(new ToolError(code, 'No such account.')))
      expect(call?.result).toMatchObject({ errorCode: code })
      expect(warnings).toEqual([])
    }
  })

  it('a ToolError whose code has not the form becomes INTERNAL, and the log says so', async () => {
    const { call, warnings } = await callOnce(() => Promise.reject(new ToolError('not_found', 'No such account.')))
    expect(call?.result).toMatchObject({ errorCode: 'INTERNAL' })
    expect(warnings.map(({ text }) => text)).toEqual([
      expect.stringContaining('the code "not_found" of its ToolError is not in UPPER_SNAKE'),
    ])
  })

  it('a ToolError that cannot be read is told too', async () => {
    const detail = {
      get amount(): number {
        throw new Error('gone')
      },
    }
    const { call, warnings } = await callOnce(() =>
      Promise.reject(new ToolError('NOT_FOUND', 'No account.', { detail })),
    )
    expect(call?.result).toMatchObject({ errorCode: 'INTERNAL' })
    expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining('its ToolError cannot be read')])
  })

  it('an error whose message can be read only once stops nothing', async () => {
    const failing = new Error('first')
    let reads = 0
    Object.defineProperty(failing, 'message', {
      get() {
        if (reads++ > 0) throw new Error('again')
        return 'first'
      },
    })
    const policy: Policy = { decide: () => Promise.reject(failing) }
    const { call, warnings } = await callOnce(() => null, { policy })
    expect(call?.result).toMatchObject({ errorCode: 'POLICY_ERROR' })
    expect(warnings).toHaveLength(1)
  })

  it('nobody hears of a warning without a logger, and the run goes on', async () => {
    const { result } = await callOnce(() => Promise.reject(new Error('disk is full')), { logger: undefined as never })
    expect(result.stopReason).toBe('answered')
  })
})
