import { deepStrictEqual } from 'node:assert/strict'
import { callIdOf } from '../core/index.ts'
import type { CallState, JournalEntry, Store } from '../core/index.ts'
import { refuses, storeCase } from './store-contract-case.ts'
import type { StoreContractCase } from './store-contract-case.ts'
import { beginEntries, movedCall, moveEntry, sampleCall, sampleRun } from './store-records.ts'

const begun = beginEntries(sampleRun())
const opened: JournalEntry = { kind: 'call-opened', call: sampleCall() }

/** Run, turn and index of the calls in these states. */
async function placesOf(
  store: Store,
  ...asked: Parameters<Store['journal']['callsInState']>
): Promise<readonly string[]> {
  const calls = await store.journal.callsInState(...asked)
  return calls.map((call) => `${call.runId} ${call.turn}/${call.index}`)
}

/** Four runs, two of them begun in the same millisecond, with calls in three states, not opened in the order of reading. */
async function writeCallsOfSeveralRuns(store: Store): Promise<void> {
  const starts = [
    ['run_new', 30],
    ['run_old', 10],
    ['run_twin', 30],
    ['run_idle', 40],
  ] as const
  for (const [id, startedAt] of starts) {
    await store.journal.append(beginEntries(sampleRun({ id, sessionId: `session_of_${id}`, startedAt })))
  }
  const places = [
    ['run_old', 1, 0, 'Executing'],
    ['run_new', 10, 0, 'Executing'],
    ['run_new', 2, 1, 'Executing'],
    ['run_new', 2, 0, 'NeedsApproval'],
    ['run_new', 1, 11, 'Executing'],
    ['run_new', 1, 2, 'Unknown'],
    ['run_twin', 1, 0, 'NeedsApproval'],
  ] as const
  for (const [runId, turn, index, state] of places) {
    const call = sampleCall({ runId, turn, index })
    await store.journal.append([{ kind: 'call-opened', call }])
    await store.journal.append([moveEntry(call, state)])
  }
}

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
  storeCase('calls in a state are found in every run, those of the newest run first', async (store) => {
    await writeCallsOfSeveralRuns(store)
    const executing = ['run_new 1/11', 'run_new 2/1', 'run_new 10/0', 'run_old 1/0']
    deepStrictEqual(await placesOf(store, ['Executing']), executing)
    const waiting = ['run_twin 1/0', 'run_new 2/0']
    deepStrictEqual(await placesOf(store, ['NeedsApproval']), waiting)
    const both = ['run_twin 1/0', 'run_new 1/2', 'run_new 2/0']
    deepStrictEqual(await placesOf(store, ['Unknown', 'NeedsApproval', 'Unknown']), both)
    deepStrictEqual(await placesOf(store, ['Requested', 'Observed']), [])
    deepStrictEqual(await placesOf(store, []), [])
  }),
  storeCase('the limit of calls in a state counts from the newest run', async (store) => {
    await writeCallsOfSeveralRuns(store)
    deepStrictEqual(await placesOf(store, ['Executing', 'NeedsApproval'], 2), ['run_twin 1/0', 'run_new 1/11'])
    deepStrictEqual(await placesOf(store, ['Executing'], 3), ['run_new 1/11', 'run_new 2/1', 'run_new 10/0'])
    for (const limit of [0, -1]) deepStrictEqual(await placesOf(store, ['Executing'], limit), [])
    for (const limit of [4, 99, Number.POSITIVE_INFINITY]) {
      deepStrictEqual((await placesOf(store, ['Executing'], limit)).length, 4)
    }
  }),
  storeCase('a call found by its state is whole, and found no more once it moved on', async (store) => {
    const call = movedCall(sampleCall({ turn: 2 }), 'Executing', { why: ['a', null] })
    await store.journal.append([...begun, opened, { kind: 'call-opened', call }])
    deepStrictEqual(await store.journal.callsInState(['Executing']), [call])
    deepStrictEqual(await store.journal.callsInState(['Requested', 'Executing']), [sampleCall(), call])
    await store.journal.append([moveEntry(call, 'Succeeded')])
    deepStrictEqual(await store.journal.callsInState(['Executing']), [])
    deepStrictEqual(await store.journal.callsInState(['Succeeded']), [movedCall(call, 'Succeeded')])
  }),
  storeCase('a thousand calls in a state are told when no limit is given', async (store) => {
    const calls = Array.from({ length: 1100 }, (_, index) => sampleCall({ index }))
    await store.journal.append([...begun, ...calls.map((call): JournalEntry => ({ kind: 'call-opened', call }))])
    deepStrictEqual(await store.journal.callsInState(['Requested']), calls.slice(0, 1000))
    deepStrictEqual(await store.journal.callsInState(['Requested'], 1050), calls.slice(0, 1050))
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
