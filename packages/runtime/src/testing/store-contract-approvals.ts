import { deepStrictEqual } from 'node:assert/strict'
import { callIdOf, evidenceUriOf } from '../core/index.ts'
import type { ApprovalStatus, JournalEntry, Json, Store } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { beginEntries, sampleApproval, sampleRun } from './store-records.ts'

const begun = beginEntries(sampleRun())
const requested: JournalEntry = { kind: 'approval-requested', approval: sampleApproval() }
const callId = callIdOf('run_sample', 1, 0)
const uri = evidenceUriOf('run_sample', callId)

function decided(
  status: Exclude<ApprovalStatus, 'pending'>,
  by: string | null,
): Extract<JournalEntry, { readonly kind: 'approval-decided' }> {
  return { kind: 'approval-decided', id: 'approval_sample', status, by, reason: by === null ? null : 'said so', at: 77 }
}

function kept(value: Json, at: number): JournalEntry {
  return { kind: 'evidence-kept', uri, runId: 'run_sample', callId, value, at }
}

async function idsOf(store: Store, filter?: Parameters<Store['approvals']['list']>[0]): Promise<readonly string[]> {
  return (await store.approvals.list(filter)).map((approval) => approval.id)
}

/** What every store does with approval requests and evidence. */
export const approvalCases: readonly StoreContractCase[] = [
  storeCase('an approval that was never requested is undefined', async (store) => {
    deepStrictEqual(await store.approvals.get('approval_nobody'), undefined)
    deepStrictEqual(await store.approvals.list(), [])
  }),
  storeCase('a requested approval comes back as it was given', async (store) => {
    await store.journal.append([...begun, requested])
    deepStrictEqual(await store.approvals.get('approval_sample'), sampleApproval())
  }),
  storeCase('why was asked, in any words, comes back with the request', async (store) => {
    const approval = sampleApproval({
      askReason: 'Production\u0000 after \ud83c 18:00',
      owner: 'team',
      origin: 'mcp:x',
    })
    await store.journal.append([...begun, { kind: 'approval-requested', approval }])
    deepStrictEqual(await store.approvals.list(), [approval])
  }),
  storeCase('an approval is requested once, and for a run that exists', async (store) => {
    await refuses(store, 'approval-requested', [requested])
    await store.journal.append([...begun, requested])
    await refuses(store, 'approval-requested', [requested])
  }),
  storeCase('a decision is written beside the request', async (store) => {
    await store.journal.append([...begun, requested, decided('denied', 'ben')])
    deepStrictEqual(
      await store.approvals.get('approval_sample'),
      sampleApproval({ status: 'denied', decidedBy: 'ben', decidedAt: 77, reason: 'said so' }),
    )
  }),
  storeCase('other arguments that were approved are written beside those that were asked about', async (store) => {
    const edit = { arguments: { service: 'billing\u0000', count: [1, { deep: null }] }, digest: 'sha256:edited' }
    await store.journal.append([...begun, requested, { ...decided('approved', 'ben'), edit }])
    const expected = sampleApproval({
      status: 'approved',
      decidedBy: 'ben',
      decidedAt: 77,
      reason: 'said so',
      edited: edit,
    })
    deepStrictEqual(await store.approvals.get('approval_sample'), expected)
    deepStrictEqual(await store.approvals.list({ status: 'approved', runId: 'run_sample' }), [expected])
  }),
  storeCase('a decision without other arguments has no edit, said or not', async (store) => {
    const other = sampleApproval({ id: 'approval_other', createdAt: 1_700_000_000_009 })
    await store.journal.append([...begun, requested, { kind: 'approval-requested', approval: other }])
    await store.journal.append([
      decided('approved', 'ben'),
      { ...decided('denied', 'ben'), id: 'approval_other', edit: null },
    ])
    deepStrictEqual(
      (await store.approvals.list()).map(({ id, status, edited }) => [id, status, edited]),
      [
        ['approval_sample', 'approved', null],
        ['approval_other', 'denied', null],
      ],
    )
  }),
  storeCase('a reason may be any text, even one that was cut in the middle of a character', async (store) => {
    const reason = 'not \u0000 today \ud83c'
    const entry = {
      kind: 'approval-decided',
      id: 'approval_sample',
      status: 'denied',
      by: 'b\u0000n',
      reason,
      at: 1,
    } as const
    await store.journal.append([...begun, requested, entry])
    const approval = await store.approvals.get('approval_sample')
    deepStrictEqual([approval?.decidedBy, approval?.reason], ['b\u0000n', reason])
  }),
  storeCase('an approval is decided once', async (store) => {
    await store.journal.append([...begun, requested])
    await store.journal.append([decided('approved', 'ann')])
    await refuses(store, 'approval-decided', [decided('denied', 'ben')])
    await refuses(store, 'approval-decided', [decided('expired', null)])
    deepStrictEqual((await store.approvals.get('approval_sample'))?.decidedBy, 'ann')
  }),
  storeCase('a decision on an unknown approval is refused', async (store) => {
    await refuses(store, 'approval-decided', [decided('approved', 'ann')])
  }),
  storeCase('of many decisions at once exactly one wins', async (store) => {
    await store.journal.append([...begun, requested])
    const decisions = Array.from({ length: 50 }, (_, index) =>
      store.journal.append([decided(index % 2 === 0 ? 'approved' : 'denied', `person ${index}`)]),
    )
    const outcomes = await Promise.allSettled(decisions)
    deepStrictEqual(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
    deepStrictEqual((await store.approvals.get('approval_sample'))?.decidedBy, `person ${winner}`)
  }),
  storeCase('approvals are listed oldest first and filtered by status and run', async (store) => {
    const other = sampleRun({ id: 'run_other', sessionId: 'session_other' })
    await store.journal.append([...begun, ...beginEntries(other)])
    const requests = [
      sampleApproval({ id: 'approval_z', createdAt: 30 }),
      sampleApproval({ id: 'approval_y', createdAt: 10, runId: 'run_other' }),
      sampleApproval({ id: 'approval_b', createdAt: 20 }),
      sampleApproval({ id: 'approval_a', createdAt: 20 }),
    ]
    for (const approval of requests) await store.journal.append([{ kind: 'approval-requested', approval }])
    await store.journal.append([
      { kind: 'approval-decided', id: 'approval_b', status: 'expired', by: null, reason: null, at: 99 },
    ])
    deepStrictEqual(await idsOf(store), ['approval_y', 'approval_b', 'approval_a', 'approval_z'])
    deepStrictEqual(await idsOf(store, { status: 'pending' }), ['approval_y', 'approval_a', 'approval_z'])
    deepStrictEqual(await idsOf(store, { runId: 'run_sample' }), ['approval_b', 'approval_a', 'approval_z'])
    deepStrictEqual(await idsOf(store, { runId: 'run_sample', status: 'expired' }), ['approval_b'])
    deepStrictEqual(await idsOf(store, { status: 'superseded' }), [])
  }),
  storeCase('evidence that was never kept is undefined', async (store) => {
    deepStrictEqual(await store.evidence.get('evidence://nobody'), undefined)
  }),
  storeCase('evidence comes back as it was given, null included', async (store) => {
    for (const value of [null, false, 0, '', 'text\u0000', [1, [2]], { a: { b: null } }] as const) {
      await store.journal.append(value === null ? [...begun, kept(value, 1)] : [kept(value, 1)])
      deepStrictEqual(await store.evidence.get(uri), { uri, runId: 'run_sample', callId, value, at: 1 })
    }
  }),
  storeCase('a second result for the same address replaces the first', async (store) => {
    await store.journal.append([...begun, kept('first', 1)])
    await store.journal.append([kept('second', 2), kept('third', 3)])
    deepStrictEqual(await store.evidence.get(uri), { uri, runId: 'run_sample', callId, value: 'third', at: 3 })
  }),
  storeCase('evidence of an unknown run is refused', async (store) => {
    await refuses(store, 'evidence-kept', [kept('lost', 1)])
    deepStrictEqual(await store.evidence.get(uri), undefined)
  }),
]
