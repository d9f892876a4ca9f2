import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { beginEntries, sampleApproval, sampleCall, sampleRule, sampleRun } from '../../testing/store-records.ts'
import { evidenceUriOf } from '../call/call-id.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { memoryStore } from './memory-store.ts'

function runIn(number: number, sessionId = `session_${number}`): RunRecord {
  return sampleRun({ id: `run_${number}`, sessionId, startedAt: number })
}

function ending(run: RunRecord): JournalEntry {
  return { kind: 'run-changed', expectedStatus: 'running', worker: null, run: { ...run, status: 'ended', endedAt: 1 } }
}

/** A run with a call, an approval and evidence. */
async function begin(store: Store, run: RunRecord): Promise<void> {
  const call = sampleCall({ runId: run.id })
  const uri = evidenceUriOf(run.id, call.id)
  const known = (await store.sessions.get(run.sessionId)) !== undefined
  await store.journal.append([
    ...(known ? [{ kind: 'run-started', run } as const] : beginEntries(run)),
    { kind: 'call-opened', call },
    { kind: 'approval-requested', approval: sampleApproval({ id: `approval_${run.id}`, runId: run.id }) },
    { kind: 'evidence-kept', uri, runId: run.id, callId: call.id, value: 1, at: 1 },
  ])
}

async function traceOf(store: Store, run: RunRecord): Promise<readonly boolean[]> {
  const callId = sampleCall({ runId: run.id }).id
  return [
    (await store.journal.run(run.id)) !== undefined,
    (await store.journal.calls(run.id)).length === 1,
    (await store.approvals.get(`approval_${run.id}`)) !== undefined,
    (await store.approvals.list({ runId: run.id })).length === 1,
    (await store.evidence.get(evidenceUriOf(run.id, callId))) !== undefined,
    (await store.journal.runs({ sessionId: run.sessionId })).some((one) => one.id === run.id),
  ]
}

const whole = [true, true, true, true, true, true]
const gone = [false, false, false, false, false, false]

describe('what the in-memory store forgets', () => {
  it('keeps as many ended runs as told and forgets the one that ended first with all that belongs to it', async () => {
    const store = memoryStore({ keepRuns: 2 })
    const runs = [runIn(1), runIn(2), runIn(3)] as const
    for (const run of runs) await begin(store, run)
    await store.journal.append([ending(runs[1])])
    await store.journal.append([ending(runs[0])])
    expect(await traceOf(store, runs[1])).toEqual(whole)
    await store.journal.append([ending(runs[2])])
    expect(await traceOf(store, runs[1])).toEqual(gone)
    expect(await store.sessions.get('session_2')).toBeUndefined()
    expect(await traceOf(store, runs[0])).toEqual(whole)
    expect(await traceOf(store, runs[2])).toEqual(whole)
  })

  it('keeps every standing rule, also when the run and the approval it was made in are forgotten', async () => {
    const store = memoryStore({ keepRuns: 0 })
    const run = runIn(1)
    const rule = sampleRule({ scope: { kind: 'session', sessionId: run.sessionId }, approvalId: `approval_${run.id}` })
    await begin(store, run)
    await store.journal.append([{ kind: 'rule-added', rule }])
    await store.journal.append([ending(run)])
    expect(await traceOf(store, run)).toEqual(gone)
    expect(await store.rules.list()).toEqual([rule])
    expect(await store.journal.callsInState(['Requested'])).toEqual([])
  })

  it('keeps ten ended runs when not told otherwise', async () => {
    const store = memoryStore()
    for (let number = 0; number < 13; number++) {
      await begin(store, runIn(number))
      await store.journal.append([ending(runIn(number))])
    }
    expect(await store.journal.runs()).toHaveLength(10)
    expect(await traceOf(store, runIn(2))).toEqual(gone)
    expect(await traceOf(store, runIn(3))).toEqual(whole)
  })

  it('keeps a conversation somebody named, with its messages and run records, whatever is forgotten of its runs', async () => {
    const store = memoryStore({ keepRuns: 1 })
    await store.journal.append([{ kind: 'session-created', sessionId: 'session_named', at: 1 }])
    for (let number = 0; number < 5; number++) {
      const run = sampleRun({ id: `run_named_${number}`, sessionId: 'session_named' })
      await begin(store, run)
      await store.journal.append([ending(run)])
    }
    expect(await store.sessions.get('session_named')).toBeDefined()
    expect(await store.journal.runs({ sessionId: 'session_named' })).toHaveLength(5)
    expect(await store.journal.calls('run_named_0')).toEqual([])
    expect(await store.journal.calls('run_named_4')).toHaveLength(1)
  })

  it('never forgets a running or a suspended run', async () => {
    const store = memoryStore({ keepRuns: 0 })
    const suspended = runIn(1)
    await begin(store, suspended)
    await store.journal.append([
      { kind: 'run-changed', expectedStatus: 'running', worker: null, run: { ...suspended, status: 'suspended' } },
    ])
    await begin(store, runIn(2))
    for (let number = 3; number < 300; number++) {
      await begin(store, runIn(number))
      await store.journal.append([ending(runIn(number))])
    }
    expect((await store.journal.runs()).map((run) => run.id)).toEqual(['run_2', 'run_1'])
    expect(await traceOf(store, suspended)).toEqual(whole)
  })

  it('keeps a session as long as one of its runs is kept', async () => {
    const store = memoryStore({ keepRuns: 1 })
    for (const number of [1, 2, 3]) await begin(store, runIn(number, 'session_shared'))
    await store.journal.append([ending(runIn(1, 'session_shared'))])
    await store.journal.append([ending(runIn(2, 'session_shared'))])
    expect(await store.sessions.get('session_shared')).toBeDefined()
    await begin(store, runIn(4))
    await store.journal.append([ending(runIn(3, 'session_shared'))])
    expect(await store.sessions.get('session_shared')).toBeDefined()
    await store.journal.append([ending(runIn(4))])
    expect(await store.sessions.get('session_shared')).toBeUndefined()
  })

  it('forgets nothing for a batch that was refused', async () => {
    const store = memoryStore({ keepRuns: 0 })
    await begin(store, runIn(1))
    await expect(store.journal.append([ending(runIn(1)), ending(runIn(1))])).rejects.toThrow(/run-changed/)
    expect(await traceOf(store, runIn(1))).toEqual(whole)
  })

  it('holds, after any order of endings, the ended runs that ended last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 5 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
        async (keepRuns, order) => {
          const store = memoryStore({ keepRuns })
          for (let number = 0; number < 8; number++) await begin(store, runIn(number))
          for (const number of order) await store.journal.append([ending(runIn(number))])
          const kept = new Set(
            (await store.journal.runs()).filter((run) => run.status === 'ended').map((run) => run.id),
          )
          expect(kept).toEqual(
            new Set(order.slice(Math.max(0, order.length - keepRuns)).map((number) => `run_${number}`)),
          )
        },
      ),
      { numRuns: 100 },
    )
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses to keep %d runs', (keepRuns) => {
    expect(() => memoryStore({ keepRuns })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})
