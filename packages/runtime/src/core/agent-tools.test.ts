import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, memoryStore, tool, type Json, type Policy } from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

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
