import { deepStrictEqual } from 'node:assert/strict'
import type { JournalEntry, Lease, RunRecord, Store } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { beginEntries, sampleRun } from './store-records.ts'

const first: Lease = { worker: 'worker_first', until: 1000 }
const second: Lease = { worker: 'worker_second', until: 1000 }

function claim(expectedLease: Lease | null, lease: Lease | null): JournalEntry {
  return { kind: 'run-claimed', runId: 'run_sample', expectedLease, lease }
}

function change(expectedStatus: RunRecord['status'], run: RunRecord, worker: string | null = null): JournalEntry {
  return { kind: 'run-changed', expectedStatus, worker, run }
}

async function idsOf(store: Store, filter?: Parameters<Store['journal']['runs']>[0]): Promise<readonly string[]> {
  return (await store.journal.runs(filter)).map((run) => run.id)
}

/** What every store does with runs and the claims on them. */
export const runCases: readonly StoreContractCase[] = [
  storeCase('a run that was never started is undefined', async (store) => {
    deepStrictEqual(await store.journal.run('run_nobody'), undefined)
    deepStrictEqual(await store.journal.runs(), [])
    deepStrictEqual(await store.journal.calls('run_nobody'), [])
  }),
  storeCase('a started run comes back as it was given', async (store) => {
    const run = sampleRun({ startedWith: { nested: [null, { text: 'ü' }] }, lease: first })
    await store.journal.append(beginEntries(run))
    deepStrictEqual(await store.journal.run(run.id), run)
    deepStrictEqual(await store.journal.runs(), [run])
  }),
  storeCase('a run is started once', async (store) => {
    await store.journal.append(beginEntries(sampleRun()))
    await refuses(store, 'run-started', [{ kind: 'run-started', run: sampleRun({ agent: 'another' }) }])
    deepStrictEqual((await store.journal.run('run_sample'))?.agent, 'sample-agent')
  }),
  storeCase('a change replaces the record and leaves the lease alone', async (store) => {
    await store.journal.append(beginEntries(sampleRun({ lease: first })))
    const changed = sampleRun({ status: 'suspended', stopReason: 'approval_required', turns: 3, lease: null })
    await store.journal.append([change('running', changed)])
    deepStrictEqual(await store.journal.run('run_sample'), { ...changed, lease: first })
  }),
  storeCase('a change is refused when the status is another one', async (store) => {
    await store.journal.append(beginEntries(sampleRun()))
    await refuses(store, 'run-changed', [change('suspended', sampleRun({ status: 'ended' }))])
    deepStrictEqual(await store.journal.run('run_sample'), sampleRun())
  }),
  storeCase('a change of an unknown run is refused', async (store) => {
    await refuses(store, 'run-changed', [change('running', sampleRun())])
  }),
  storeCase('a change by a worker that does not hold the lease is refused', async (store) => {
    await store.journal.append(beginEntries(sampleRun()))
    const ended = sampleRun({ status: 'ended', endedAt: 9 })
    await refuses(store, 'run-changed', [change('running', ended, 'worker_first')])
    await store.journal.append([claim(null, first)])
    await refuses(store, 'run-changed', [change('running', ended, 'worker_second')])
    await store.journal.append([change('running', ended, 'worker_first')])
    deepStrictEqual((await store.journal.run('run_sample'))?.status, 'ended')
  }),
  storeCase('a lease is taken, renewed, handed over and released only by who knows it', async (store) => {
    await store.journal.append(beginEntries(sampleRun()))
    await store.journal.append([claim(null, first)])
    await refuses(store, 'run-claimed', [claim(null, second)])
    await refuses(store, 'run-claimed', [claim(second, null)])
    const renewed = { ...first, until: 2000 }
    await store.journal.append([claim(first, renewed)])
    await refuses(store, 'run-claimed', [claim(first, second)])
    deepStrictEqual((await store.journal.run('run_sample'))?.lease, renewed)
    await store.journal.append([claim(renewed, second)])
    await store.journal.append([claim(second, null)])
    deepStrictEqual((await store.journal.run('run_sample'))?.lease, null)
  }),
  storeCase('a claim on an unknown run is refused', async (store) => {
    await refuses(store, 'run-claimed', [claim(null, first)])
  }),
  storeCase('of many claims at once exactly one wins', async (store) => {
    await store.journal.append(beginEntries(sampleRun()))
    const claims = Array.from({ length: 50 }, (_, index) =>
      store.journal.append([claim(null, { worker: `worker_${index}`, until: 1 })]),
    )
    const outcomes = await Promise.allSettled(claims)
    deepStrictEqual(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
    deepStrictEqual((await store.journal.run('run_sample'))?.lease?.worker, `worker_${winner}`)
  }),
  storeCase('runs are listed newest first, later arrivals first in the same millisecond', async (store) => {
    const starts = [
      ['run_a', 20],
      ['run_b', 10],
      ['run_d', 30],
      ['run_c', 30],
    ] as const
    for (const [id, startedAt] of starts) {
      await store.journal.append([{ kind: 'run-started', run: sampleRun({ id, startedAt }) }])
    }
    deepStrictEqual(await idsOf(store), ['run_c', 'run_d', 'run_a', 'run_b'])
    deepStrictEqual(await idsOf(store, { limit: 2 }), ['run_c', 'run_d'])
    deepStrictEqual(await idsOf(store, { limit: 0 }), [])
    for (const limit of [99, Number.POSITIVE_INFINITY]) {
      deepStrictEqual(await idsOf(store, { limit }), ['run_c', 'run_d', 'run_a', 'run_b'])
    }
    deepStrictEqual(await idsOf(store, { limit: -1 }), [])
  }),
  storeCase('runs are filtered by session before the limit counts', async (store) => {
    for (const [index, sessionId] of ['session_a', 'session_b', 'session_a', 'session_b'].entries()) {
      const run = sampleRun({ id: `run_${index}`, sessionId, startedAt: index })
      await store.journal.append([{ kind: 'run-started', run }])
    }
    deepStrictEqual(await idsOf(store, { sessionId: 'session_a' }), ['run_2', 'run_0'])
    deepStrictEqual(await idsOf(store, { sessionId: 'session_a', limit: 1 }), ['run_2'])
    deepStrictEqual(await idsOf(store, { sessionId: 'session_nobody' }), [])
  }),
]
