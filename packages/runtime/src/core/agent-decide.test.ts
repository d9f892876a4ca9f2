import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, memoryStore, tool, type ApprovalAnswer, type RunResult } from './index.ts'
import { ScriptedChatClient } from '../testing/index.ts'

async function asked(options: { readonly editable?: boolean; readonly inside?: boolean } = {}): Promise<{
  readonly agent: Agent
  readonly wiped: readonly string[]
  readonly result: RunResult
  readonly id: string
}> {
  const wiped: string[] = []
  const wipe = tool({
    name: 'wipe',
    description: 'Wipes.',
    inputSchema: z.strictObject({ path: z.string() }),
    effects: 'destructive',
    needsApproval: true,
    editable: options.editable ?? true,
    execute: ({ path }) => void wiped.push(path),
  })
  const wiping = { calls: [{ name: 'wipe', arguments: { path: 'a' } }] }
  const store = memoryStore()
  const cleaner = new Agent({
    name: 'cleaner',
    store,
    tools: [wipe],
    model: new ScriptedChatClient([wiping, 'Wiped.']),
  })
  const boss = new Agent({
    name: 'boss',
    store,
    tools: [cleaner.asTool({ name: 'clean' })],
    model: new ScriptedChatClient([{ calls: [{ name: 'clean', arguments: { task: 'a' } }] }, 'Cleaned.']),
  })
  const agent = options.inside === true ? boss : cleaner
  const result = await agent.run('go')
  expect(result.approvals).toHaveLength(1)
  return { agent, wiped, result, id: result.approvals[0]?.id ?? 'none' }
}

describe('agent.decide', () => {
  it('takes other arguments, checked against its own tools, and runs nothing before resume', async () => {
    const { agent, wiped, result, id } = await asked()
    const verdict = await agent.decide({ id, approved: true, by: 'ann', edit: { path: 'b' } })
    expect(verdict).toMatchObject({
      kind: 'decided',
      approval: { status: 'approved', edited: { arguments: { path: 'b' } } },
    })
    expect(wiped).toEqual([])
    expect((await agent.resume(result.runId).result).stopReason).toBe('answered')
    expect(wiped).toEqual(['b'])
  })

  it('keeps a rule', async () => {
    const { agent, id } = await asked()
    await agent.decide({ id, approved: true, by: 'ann', remember: { what: 'tool', scope: 'user' } })
    expect(await agent.store.rules.list()).toMatchObject([{ tool: 'wipe', createdBy: 'ann', approvalId: id }])
  })

  it.each([
    ['that do not fit', { editable: true }, { path: 7 }, 'do not fit the tool: path:'],
    ['of a tool that is not editable', { editable: false }, { path: 'b' }, 'may not be changed'],
    ['that do not fit the tool of an agent inside', { inside: true }, { path: 7 }, 'do not fit the tool: path:'],
  ] as const)('leaves a request open for arguments %s', async (_name, options, edit, because) => {
    const { agent, id } = await asked(options)
    const verdict = await agent.decide({ id, approved: true, by: 'ann', edit })
    expect(verdict).toMatchObject({ kind: 'invalid', because: expect.stringContaining(because) })
    expect(await agent.store.approvals.get(id)).toMatchObject({ status: 'pending' })
  })

  it('rejects what is no answer, and knows no request of another store', async () => {
    const { agent } = await asked()
    const noAnswer = { id: 7, approved: 'yes', by: '' } as unknown as ApprovalAnswer
    await expect(agent.decide(noAnswer)).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
    expect(await agent.decide({ id: 'approval_x', approved: true, by: 'ann' })).toEqual({
      kind: 'unknown',
      id: 'approval_x',
    })
  })
})
