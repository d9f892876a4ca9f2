import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, functionMiddleware, memoryStore, tool, type Json } from './index.ts'
import { ScriptedChatClient, type ScriptedTurn } from '../testing/index.ts'

const mail: ScriptedTurn = { calls: [{ name: 'send_mail', arguments: { to: 'bob' } }] }

function mailer(ran: Json[]) {
  return tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    inputSchema: z.object({ to: z.string() }),
    effects: 'write',
    needsApproval: true,
    execute: (args) => {
      ran.push(args)
      return 'sent'
    },
  })
}

function guardThatCounts(seen: string[]) {
  return functionMiddleware(
    async (context, next) => {
      seen.push(context.tool.name)
      await next()
    },
    { name: 'watch', guard: true },
  )
}

describe('what a run was given beside its agent', () => {
  it('comes back with its answers in this process: tools, middleware, instructions', async () => {
    const ran: Json[] = []
    const seen: string[] = []
    const model = new ScriptedChatClient([mail, 'done'])
    const agent = new Agent({ model })
    const asked = await agent.run('go', {
      tools: [mailer(ran)],
      middleware: [guardThatCounts(seen)],
      instructions: 'Be brief.',
    })
    expect(asked.stopReason).toBe('approval_required')
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ran).toEqual([{ to: 'bob' }])
    expect(seen).toEqual(['send_mail'])
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['Be brief.', 'Be brief.'])
  })

  it('a guard it was begun under must be given again by another process; nothing runs without it', async () => {
    const ran: Json[] = []
    const store = memoryStore()
    const first = new Agent({ model: new ScriptedChatClient([mail]), tools: [mailer(ran)], store })
    const asked = await first.run('go', { middleware: [guardThatCounts([])] })
    // Another process: its own view of the same records.
    const elsewhere = { ...store }
    const second = new Agent({ model: new ScriptedChatClient(['done']), tools: [mailer(ran)], store: elsewhere })
    const answers = asked.approvals.map((approval) => approval.approve({ by: 'ann' }))
    await expect(second.run(answers)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('guard "watch"'),
    })
    expect(ran).toEqual([])
    const seen: string[] = []
    const result = await second.resume(asked.runId, { middleware: [guardThatCounts(seen)] }).result
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect([ran, seen]).toEqual([[{ to: 'bob' }], ['send_mail']])
  })

  it('a context provider makes its tools anew each time: the open call finds the new one', async () => {
    const ran: Json[] = []
    const agent = new Agent({
      model: new ScriptedChatClient([mail, 'done']),
      contextProviders: [{ name: 'tenant', beforeRun: (context) => context.addTools(mailer(ran)) }],
    })
    const asked = await agent.run('go')
    expect(asked.stopReason).toBe('approval_required')
    const result = await agent.run(asked.approvals.map((approval) => approval.approve({ by: 'ann' })))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'done' })
    expect(ran).toEqual([{ to: 'bob' }])
  })
})
