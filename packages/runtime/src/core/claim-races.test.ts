import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { statelessScript } from '../testing/index.ts'
import { Agent, memoryStore, tool, type JournalEntry, type Store } from './index.ts'

/** The same store; what is given runs once, between a process's look at a run and its claim on it. */
function slowToClaim(store: Store, meanwhile: () => Promise<unknown>): Store {
  let isDone = false
  const isClaim = (entry: JournalEntry): boolean => entry.kind === 'run-claimed' && entry.lease !== null
  return {
    ...store,
    journal: {
      ...store.journal,
      async append(batch) {
        if (!isDone && batch.some(isClaim)) {
          isDone = true
          await meanwhile()
        }
        return store.journal.append(batch)
      },
    },
  }
}

describe('a process that looked at a run before another one went on with it', () => {
  it('claims it as it is by then: no turn is taken back, no request is lost', async () => {
    const store = memoryStore()
    const paid: string[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.strictObject({ to: z.string() }),
      needsApproval: true,
      execute: ({ to }) => void paid.push(to),
    })
    const call = (to: string) => ({ calls: [{ name: 'pay', arguments: { to } }] })
    const model = statelessScript([call('a'), call('b'), 'Both are paid.'])
    const agentOn = (on: Store): Agent => new Agent({ model, tools: [pay], store: on })
    const first = agentOn(store)
    const asked = await first.run('Pay both.', { session: await first.session('session_one') })
    const slow = slowToClaim(store, () => first.run([asked.approvals[0]!.approve({ by: 'ann' })]))

    const late = await agentOn(slow).resume(asked.runId).result
    expect([late.stopReason, late.approvals.map(({ arguments: args }) => args)]).toEqual([
      'approval_required',
      [{ to: 'b' }],
    ])
    expect(await store.journal.run(asked.runId)).toMatchObject({ turns: 2, calls: 1, status: 'suspended', lease: null })

    const ended = await first.run([late.approvals[0]!.approve({ by: 'ann' })])
    expect([ended.stopReason, ended.text, paid]).toEqual(['answered', 'Both are paid.', ['a', 'b']])
    expect(ended.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  it('does not revive a run that has ended by then', async () => {
    const store = memoryStore()
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      inputSchema: z.strictObject({}),
      needsApproval: true,
      execute: () => 'yes',
    })
    const model = statelessScript([{ calls: [{ name: 'ask' }] }, 'Done.'])
    const agentOn = (on: Store): Agent => new Agent({ model, tools: [ask], store: on })
    const first = agentOn(store)
    const asked = await first.run('Ask.')
    const slow = slowToClaim(store, () => first.run([asked.approvals[0]!.approve({ by: 'ann' })]))
    await expect(agentOn(slow).resume(asked.runId).result).rejects.toMatchObject({
      code: expect.stringMatching(/^RUN_(BUSY|ENDED)$/),
    })
    expect(await store.journal.run(asked.runId)).toMatchObject({ status: 'ended', stopReason: 'answered', lease: null })
  })
})
