import { deepStrictEqual, notStrictEqual } from 'node:assert/strict'
import { callIdOf, userMessage } from '../core/index.ts'
import type { JournalEntry, Store } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { beginEntries, moveEntry, sampleApproval, sampleCall, sampleRule, sampleRun } from './store-records.ts'

const begun = beginEntries(sampleRun())
const callId = callIdOf('run_sample', 1, 0)
const background: readonly JournalEntry[] = [
  ...begun,
  {
    kind: 'messages-added',
    sessionId: 'session_sample',
    runId: 'run_sample',
    expectedCount: 0,
    messages: [userMessage('go')],
    at: 1,
  },
  { kind: 'call-opened', call: sampleCall() },
  { kind: 'approval-requested', approval: sampleApproval() },
  { kind: 'rule-added', rule: sampleRule() },
  { kind: 'evidence-kept', uri: 'evidence://one', runId: 'run_sample', callId, value: 'old', at: 1 },
]

/** One valid entry of every kind, to be written on the background and to leave a trace if they are not taken back. */
const everything: readonly JournalEntry[] = [
  { kind: 'session-created', sessionId: 'session_new', at: 2 },
  {
    kind: 'messages-added',
    sessionId: 'session_sample',
    runId: 'run_sample',
    expectedCount: 1,
    messages: [userMessage('more')],
    at: 2,
  },
  { kind: 'run-started', run: sampleRun({ id: 'run_new', sessionId: 'session_new' }) },
  { kind: 'run-claimed', runId: 'run_sample', expectedLease: null, lease: { worker: 'worker_a', until: 9 } },
  { kind: 'run-changed', expectedStatus: 'running', worker: 'worker_a', run: sampleRun({ turns: 1 }) },
  { kind: 'call-opened', call: sampleCall({ index: 1 }) },
  moveEntry(sampleCall(), 'Validated'),
  { kind: 'approval-requested', approval: sampleApproval({ id: 'approval_new' }) },
  { kind: 'approval-decided', id: 'approval_sample', status: 'approved', by: 'ann', reason: null, at: 3 },
  { kind: 'rule-added', rule: sampleRule({ id: 'rule_new' }) },
  { kind: 'rule-revoked', id: 'rule_sample', by: 'ann', at: 3 },
  { kind: 'evidence-kept', uri: 'evidence://one', runId: 'run_sample', callId, value: 'new', at: 3 },
  { kind: 'evidence-kept', uri: 'evidence://two', runId: 'run_sample', callId, value: 'new', at: 3 },
]

/** For every kind that expects something, an entry whose expectation fails on the background and on `everything`. */
const impossible: readonly JournalEntry[] = [
  { kind: 'session-created', sessionId: 'session_sample', at: 4 },
  { kind: 'messages-added', sessionId: 'session_sample', runId: 'run_sample', expectedCount: 7, messages: [], at: 4 },
  { kind: 'run-started', run: sampleRun() },
  { kind: 'run-claimed', runId: 'run_sample', expectedLease: { worker: 'worker_z', until: 1 }, lease: null },
  { kind: 'run-changed', expectedStatus: 'suspended', worker: null, run: sampleRun() },
  { kind: 'call-opened', call: sampleCall() },
  moveEntry(sampleCall({ state: 'Unknown' }), 'Observed'),
  { kind: 'approval-requested', approval: sampleApproval() },
  { kind: 'approval-decided', id: 'approval_nobody', status: 'denied', by: null, reason: null, at: 4 },
  { kind: 'rule-added', rule: sampleRule() },
  { kind: 'rule-revoked', id: 'rule_nobody', by: 'ann', at: 4 },
  { kind: 'evidence-kept', uri: 'evidence://three', runId: 'run_nobody', callId, value: 1, at: 4 },
]

async function contentsOf(store: Store): Promise<unknown> {
  return {
    runs: await store.journal.runs(),
    calls: await store.journal.calls('run_sample'),
    sessions: [await store.sessions.get('session_sample'), await store.sessions.get('session_new')],
    approvals: await store.approvals.list(),
    rules: await store.rules.list(),
    evidence: [await store.evidence.get('evidence://one'), await store.evidence.get('evidence://two')],
  }
}

/** What every store does with batches: all of one or nothing, in the order they were given. */
export const batchCases: readonly StoreContractCase[] = [
  storeCase('an empty batch resolves', async (store) => {
    await store.journal.append([])
  }),
  storeCase('a batch of every kind is written whole', async (store) => {
    await store.journal.append(background)
    const before = await contentsOf(store)
    await store.journal.append(everything)
    notStrictEqual(JSON.stringify(await contentsOf(store)), JSON.stringify(before))
    deepStrictEqual((await store.approvals.get('approval_sample'))?.status, 'approved')
    deepStrictEqual(
      (await store.rules.list()).map(({ id, revokedBy }) => [id, revokedBy]),
      [
        ['rule_sample', 'ann'],
        ['rule_new', null],
      ],
    )
    deepStrictEqual((await store.evidence.get('evidence://two'))?.value, 'new')
  }),
  ...impossible.map((entry) =>
    storeCase(`nothing of a batch is written when "${entry.kind}" is refused`, async (store) => {
      await store.journal.append(background)
      const before = await contentsOf(store)
      await refuses(store, entry.kind, [...everything, entry])
      deepStrictEqual(await contentsOf(store), before)
      await store.journal.append(everything)
    }),
  ),
  storeCase('a refused batch does not touch the batches beside it', async (store) => {
    await store.journal.append(background)
    const outcomes = await Promise.allSettled([
      store.journal.append([moveEntry(sampleCall(), 'Validated')]),
      store.journal.append([
        { kind: 'session-created', sessionId: 'session_lost', at: 1 },
        moveEntry(sampleCall(), 'Rejected'),
      ]),
      store.journal.append([{ kind: 'session-created', sessionId: 'session_kept', at: 1 }]),
    ])
    deepStrictEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    deepStrictEqual(await store.sessions.get('session_lost'), undefined)
    deepStrictEqual((await store.sessions.get('session_kept'))?.createdAt, 1)
    deepStrictEqual((await store.journal.calls('run_sample'))[0]?.state, 'Validated')
  }),
  storeCase('batches given without waiting are written in that order', async (store) => {
    await store.journal.append([{ kind: 'session-created', sessionId: 'session_a', at: 0 }])
    const writes = Array.from({ length: 300 }, (_, index) =>
      store.journal.append([
        {
          kind: 'messages-added',
          sessionId: 'session_a',
          runId: 'run_a',
          expectedCount: index,
          messages: [userMessage(`${index}`)],
          at: index,
        },
      ]),
    )
    await Promise.all(writes)
    const session = await store.sessions.get('session_a')
    deepStrictEqual(
      session?.messages,
      Array.from({ length: 300 }, (_, index) => userMessage(`${index}`)),
    )
  }),
  storeCase('an id that cannot exist belongs to nothing', async (store) => {
    for (const id of ['', 'cut\u0000here', 'half \ud800', '%', "' or 1 = 1 --"]) {
      const found = [
        await store.journal.run(id),
        await store.sessions.get(id),
        await store.approvals.get(id),
        await store.rules.get(id),
        await store.evidence.get(id),
      ]
      deepStrictEqual(found, [undefined, undefined, undefined, undefined, undefined])
      deepStrictEqual(await store.journal.calls(id), [])
      deepStrictEqual(await store.journal.runs({ sessionId: id }), [])
      deepStrictEqual(await store.approvals.list({ runId: id }), [])
      deepStrictEqual(await store.rules.list({ tool: id }), [])
    }
  }),
  storeCase('evidence comes after the run it belongs to, also inside a batch', async (store) => {
    const evidence = {
      kind: 'evidence-kept',
      uri: 'evidence://x',
      runId: 'run_sample',
      callId,
      value: 1,
      at: 1,
    } as const
    await refuses(store, 'evidence-kept', [evidence, ...begun])
    deepStrictEqual(await store.journal.runs(), [])
    await store.journal.append([...begun, evidence])
    const other = sampleRun({ id: 'run_other', sessionId: 'session_other' })
    const later = { ...evidence, uri: 'evidence://y', runId: 'run_other' }
    await store.journal.append([{ ...evidence, value: 2 }, ...beginEntries(other), later])
    deepStrictEqual((await store.evidence.get('evidence://x'))?.value, 2)
    deepStrictEqual((await store.evidence.get('evidence://y'))?.runId, 'run_other')
  }),
  storeCase('what was resolved is seen by the next read', async (store) => {
    for (let index = 0; index < 30; index++) {
      const run = sampleRun({ id: `run_${index}`, startedAt: index })
      await store.journal.append([{ kind: 'run-started', run }])
      deepStrictEqual(await store.journal.run(run.id), run)
      deepStrictEqual((await store.journal.runs({ limit: 1 }))[0]?.id, run.id)
    }
  }),
  storeCase('a caller that changes its batch array afterwards changes nothing', async (store) => {
    const batch: JournalEntry[] = [...begun]
    const writing = store.journal.append(batch)
    batch.length = 0
    await writing
    deepStrictEqual((await store.journal.runs()).length, 1)
  }),
  storeCase('closing waits for what was appended, and may be done twice', async (store, { reopen }) => {
    const writing = store.journal.append(background)
    await Promise.all([store.close(), store.close()])
    await writing
    await store.close()
    if (reopen === undefined) return
    const reopened = await reopen()
    deepStrictEqual((await reopened.journal.runs()).length, 1)
    await reopened.close()
  }),
  storeCase('a durable store shows everything when it is opened again', async (store, { reopen }) => {
    deepStrictEqual(reopen !== undefined, store.durable)
    if (reopen === undefined) return
    await store.journal.append(background)
    await store.journal.append(everything)
    const before = await contentsOf(store)
    await store.close()
    const reopened = await reopen()
    deepStrictEqual(await contentsOf(reopened), before)
    await reopened.close()
  }),
]
