import { readFileSync } from 'node:fs'
import { ScriptedChatClient } from '@fairlead/runtime/testing'
import { Agent, memoryStore, tool, type Decision } from 'fairlead'
import { describe, expect, it } from 'vitest'
import { done, mend } from '../../../docs/guides/snippets/policy.ts'

const guide = readFileSync(new URL('../../../docs/guides/write-a-policy.md', import.meta.url), 'utf8')

describe('write a policy', () => {
  it('asks before what is destructive, and denies in production what is not for it', async () => {
    const inDev = await mend('dev')
    expect(inDev.asked).toHaveLength(2)
    expect(guide).toContain(`\n${inDev.asked.join('\n')}\n`)
    expect(done).toEqual(['restarted checkout', 'emptied the queue of checkout'])
    const inProduction = await mend('production')
    expect(inProduction.asked).toEqual(inDev.asked.slice(0, 1))
    expect(done).toHaveLength(3)
    expect(done.at(-1)).toBe('restarted checkout')
    expect(inProduction.told).toContain('checkout hangs.')
    const denied = 'PERMISSION_DENIED: empty_queue is not for production.'
    expect(inProduction.told).toContain(denied)
    expect(guide).toContain(denied)
  })

  const inputSchema = { type: 'object', properties: {} } as const
  const look = tool({ name: 'look', description: 'Looks.', inputSchema, execute: () => 'seen' })
  const gated = tool({ name: 'look', description: 'Looks.', inputSchema, needsApproval: true, execute: () => 'seen' })
  const model = () => new ScriptedChatClient([{ calls: [{ name: 'look' }] }, 'Done.'])

  it.each([
    ['an exception', () => Promise.reject(new Error('boom'))],
    ['nothing', () => undefined as unknown as Decision],
    ['an effect nobody knows', () => ({ effect: 'perhaps', rules: [] }) as unknown as Decision],
  ])('%s is POLICY_ERROR, never an allow', async (_, decide) => {
    const store = memoryStore()
    const result = await new Agent({ model: model(), tools: [look], policy: { decide }, store }).run('Go.')
    const [call] = await store.journal.calls(result.runId)
    expect(call?.result?.errorCode).toBe('POLICY_ERROR')
    expect(call?.decision).toEqual({ effect: 'deny', rules: [] })
    expect(call?.attempts).toBe(0)
  })

  it('what the contract asks comes on top of an allow, and a deny asks nobody', async () => {
    const decided = async (decision: Decision) =>
      new Agent({ model: model(), tools: [gated], policy: { decide: () => decision } }).run('Go.')
    expect((await decided({ effect: 'allow', rules: [] })).approvals[0]?.askedBy).toBe('contract')
    expect((await decided({ effect: 'ask', rules: ['mine'] })).approvals[0]?.askedBy).toBe('policy:mine')
    expect((await decided({ effect: 'deny', rules: ['mine'] })).stopReason).toBe('answered')
  })

  it('is asked again when an approval is used: a deny by then wins over the person', async () => {
    const decisions: Decision[] = [
      { effect: 'ask', rules: ['first'] },
      { effect: 'deny', rules: ['second'], reason: 'Not any more.' },
    ]
    const decide = (): Decision => decisions.shift() ?? { effect: 'allow', rules: [] }
    const agent = new Agent({ model: model(), tools: [look], policy: { decide } })
    const asked = await agent.run('Go.')
    const result = await agent.run(asked.approvals.map((card) => card.approve({ by: 'ann' })))
    expect(decisions).toEqual([])
    expect(JSON.stringify(result.messages)).toContain('PERMISSION_DENIED: Not any more.')
  })
})
