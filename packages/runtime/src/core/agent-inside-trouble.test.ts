import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { statelessScript } from '../testing/index.ts'
import { Agent, FairleadError, memoryStore, tool, type JournalEntry, type Store } from './index.ts'

/** The same store, which cannot write once: the first batch that says this. */
function failingOnce(store: Store, saysThis: (entry: JournalEntry) => boolean): Store {
  let isDone = false
  return {
    ...store,
    journal: {
      ...store.journal,
      async append(batch) {
        if (!isDone && batch.some(saysThis)) {
          isDone = true
          throw new FairleadError('STORE_UNAVAILABLE', 'The disk is full.')
        }
        return store.journal.append(batch)
      },
    },
  }
}

const inside = (sessionId: string): boolean => sessionId.startsWith('session_in_')

describe('a store that fails inside an agent inside a call', () => {
  it.each<readonly [string, (entry: JournalEntry) => boolean, number]>([
    ['its intents', (entry) => entry.kind === 'call-opened' && inside(entry.call.sessionId), 1],
    ['its outcomes', (entry) => entry.kind === 'call-moved' && inside(entry.call.sessionId), 2],
    [
      'its end',
      (entry) => entry.kind === 'run-changed' && entry.run.status === 'ended' && inside(entry.run.sessionId),
      1,
    ],
  ])('at %s: the call is not answered in the dark, and goes on when the run does', async (_, saysThis, times) => {
    const store = memoryStore()
    const looks: string[] = []
    const look = tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: z.strictObject({}),
      effects: 'read',
      execute: () => void looks.push('look'),
    })
    const helper = new Agent({
      name: 'helper',
      model: statelessScript([{ calls: [{ name: 'look' }] }, 'I helped.']),
      tools: [look],
    })
    const model = statelessScript([{ calls: [{ name: 'help', arguments: { task: 'Help.' } }] }, 'Done.'])
    const agent = new Agent({ model, tools: [helper.asTool({ name: 'help' })], store: failingOnce(store, saysThis) })

    const stopped = await agent.run('Go.', { session: await agent.session('session_one') })
    expect([stopped.stopReason, stopped.text]).toEqual(['in_doubt', ''])
    const result = await agent.resume(stopped.runId).result
    expect([result.stopReason, result.text]).toEqual(['answered', 'Done.'])
    expect(JSON.stringify(result.messages)).toContain('I helped.')
    expect(looks).toHaveLength(times)
    const runs = await store.journal.runs()
    expect(runs.map(({ status, stopReason, lease }) => [status, stopReason, lease])).toEqual([
      ['ended', 'answered', null],
      ['ended', 'answered', null],
    ])
    expect(await store.journal.callsInState(['Executing', 'Retried', 'Unknown'])).toEqual([])
  })
})
