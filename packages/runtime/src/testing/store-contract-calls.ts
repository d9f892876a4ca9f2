import { deepStrictEqual } from 'node:assert/strict'
import { callIdOf } from '../core/index.ts'
import type { CallState, JournalEntry } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { beginEntries, movedCall, moveEntry, sampleCall, sampleRun } from './store-records.ts'

const begun = beginEntries(sampleRun())
const opened: JournalEntry = { kind: 'call-opened', call: sampleCall() }

/** What every store does with calls. */
export const callCases: readonly StoreContractCase[] = [
  storeCase('an opened call comes back as it was given', async (store) => {
    const call = movedCall(sampleCall({ arguments: null, version: null }), 'Validated', { why: ['a', 1, null] })
    await store.journal.append([...begun, { kind: 'call-opened', call }])
    deepStrictEqual(await store.journal.calls('run_sample'), [call])
  }),
  storeCase('a call of an unknown run is refused', async (store) => {
    await refuses(store, 'call-opened', [opened])
  }),
  storeCase('a call is opened once', async (store) => {
    await store.journal.append([...begun, opened])
    await refuses(store, 'call-opened', [opened])
    await refuses(store, 'call-opened', [{ kind: 'call-opened', call: sampleCall({ tool: 'another' }) }])
    deepStrictEqual(await store.journal.calls('run_sample'), [sampleCall()])
  }),
  storeCase('run, turn and index belong to one call, whatever its id', async (store) => {
    await store.journal.append([...begun, opened])
    const twin = sampleCall({ id: callIdOf('run_twin', 1, 0) })
    await refuses(store, 'call-opened', [{ kind: 'call-opened', call: twin }])
    deepStrictEqual(await store.journal.calls('run_sample'), [sampleCall()])
  }),
  storeCase('the same call twice in one batch is refused', async (store) => {
    await store.journal.append(begun)
    await refuses(store, 'call-opened', [opened, opened])
    deepStrictEqual(await store.journal.calls('run_sample'), [])
  }),
  storeCase('a call walks through its states and keeps every transition in order', async (store) => {
    await store.journal.append([...begun, opened])
    let call = sampleCall()
    const walk: readonly CallState[] = ['Validated', 'PolicyChecked', 'Executing', 'Failed', 'Retried', 'Executing']
    for (const state of walk) {
      await store.journal.append([moveEntry(call, state)])
      call = movedCall(call, state)
    }
    deepStrictEqual(await store.journal.calls('run_sample'), [call])
  }),
  storeCase('one move may bring several transitions, or none', async (store) => {
    await store.journal.append([...begun, opened])
    const checked = movedCall(movedCall(sampleCall(), 'Validated'), 'PolicyChecked', { rules: ['one'] })
    await store.journal.append([
      { kind: 'call-moved', expectedState: 'Requested', newTransitions: 2, call: checked },
      {
        kind: 'call-moved',
        expectedState: 'PolicyChecked',
        newTransitions: 0,
        call: { ...checked, approvalId: 'approval_x' },
      },
    ])
    deepStrictEqual(await store.journal.calls('run_sample'), [{ ...checked, approvalId: 'approval_x' }])
  }),
  storeCase('a move is refused when the stored state is another one', async (store) => {
    await store.journal.append([...begun, opened])
    await store.journal.append([moveEntry(sampleCall(), 'Validated')])
    await refuses(store, 'call-moved', [moveEntry(sampleCall(), 'Rejected')])
    deepStrictEqual((await store.journal.calls('run_sample'))[0], movedCall(sampleCall(), 'Validated'))
  }),
  storeCase('a move that expects a state the call was never in is refused', async (store) => {
    await store.journal.append([...begun, opened])
    await refuses(store, 'call-moved', [{ ...moveEntry(sampleCall(), 'Succeeded'), expectedState: 'Executing' }])
    deepStrictEqual(await store.journal.calls('run_sample'), [sampleCall()])
  }),
  storeCase('a move of an unknown call is refused', async (store) => {
    await store.journal.append(begun)
    await refuses(store, 'call-moved', [moveEntry(sampleCall(), 'Validated')])
  }),
  storeCase('a move decided on an older visit to the same state is refused', async (store) => {
    const executing = movedCall(sampleCall(), 'Executing')
    await store.journal.append([...begun, { kind: 'call-opened', call: executing }])
    const again = movedCall(movedCall(movedCall(executing, 'Failed'), 'Retried'), 'Executing')
    await store.journal.append([{ kind: 'call-moved', expectedState: 'Executing', newTransitions: 3, call: again }])
    await refuses(store, 'call-moved', [moveEntry(executing, 'Succeeded')])
    await refuses(store, 'call-moved', [
      { kind: 'call-moved', expectedState: 'Executing', newTransitions: 0, call: executing },
    ])
    deepStrictEqual(await store.journal.calls('run_sample'), [again])
  }),
  storeCase('calls are listed by turn and index, and only those of the run', async (store) => {
    const other = sampleRun({ id: 'run_other', sessionId: 'session_other' })
    await store.journal.append([...begun, ...beginEntries(other)])
    const places = [
      [10, 0],
      [2, 1],
      [2, 0],
      [1, 11],
      [1, 2],
    ] as const
    for (const [turn, index] of places) {
      await store.journal.append([{ kind: 'call-opened', call: sampleCall({ turn, index }) }])
    }
    await store.journal.append([{ kind: 'call-opened', call: sampleCall({ runId: 'run_other' }) }])
    const found = await store.journal.calls('run_sample')
    deepStrictEqual(
      found.map(({ turn, index }) => [turn, index]),
      [
        [1, 2],
        [1, 11],
        [2, 0],
        [2, 1],
        [10, 0],
      ],
    )
    deepStrictEqual((await store.journal.calls('run_other')).length, 1)
  }),
  storeCase('seven hundred calls of one turn go into one batch', async (store) => {
    const calls = Array.from({ length: 700 }, (_, index) => sampleCall({ index }))
    await store.journal.append([...begun, ...calls.map((call): JournalEntry => ({ kind: 'call-opened', call }))])
    await store.journal.append(calls.map((call) => moveEntry(call, 'Validated')))
    deepStrictEqual(
      await store.journal.calls('run_sample'),
      calls.map((call) => movedCall(call, 'Validated')),
    )
  }),
  storeCase('of many moves of one call at once exactly one wins', async (store) => {
    await store.journal.append([...begun, opened])
    const moves = Array.from({ length: 50 }, (_, index) =>
      store.journal.append([
        { ...moveEntry(sampleCall(), 'Validated'), call: { ...movedCall(sampleCall(), 'Validated'), attempts: index } },
      ]),
    )
    const outcomes = await Promise.allSettled(moves)
    deepStrictEqual(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1)
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
    deepStrictEqual((await store.journal.calls('run_sample'))[0]?.attempts, winner)
  }),
]
