import { callStates } from '@fairlead/runtime/core'
import type { CallRecord, CallState, Json, Transition } from '@fairlead/runtime/core'
import type { Kysely, Selectable } from 'kysely'
import type { CallsTable, StoreTables, TransitionsTable } from '../schema/store-tables.ts'
import { damaged, integerFrom, parseJson, parseRecord } from './record-shape.ts'
import type { ShapeOf } from './record-shape.ts'

const callShape = {
  id: 'text',
  runId: 'text',
  traceId: 'text',
  sessionId: 'text',
  turn: 'number',
  index: 'number',
  providerCallId: 'text',
  principal: 'object',
  environment: 'text',
  tool: 'text',
  version: 'text-or-null',
  origin: 'text',
  effects: 'text',
  risk: 'text',
  class: 'text',
  rawArguments: 'text',
  arguments: 'object-or-null',
  modelReason: 'text-or-null',
  decision: 'object-or-null',
  approvalId: 'text-or-null',
  attempts: 'number',
  state: callStates,
  result: 'object-or-null',
  latencyMs: 'number-or-null',
  observationTokens: 'number-or-null',
} satisfies ShapeOf<Omit<CallRecord, 'transitions'>>

/** The calls of a run by turn and index, each with its transitions, all as of one moment. */
export async function readCalls(database: Kysely<StoreTables>, runId: string): Promise<readonly CallRecord[]> {
  const { calls, transitions } = await database.transaction().execute(async (transaction) => ({
    calls: await transaction
      .selectFrom('calls')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('turn')
      .orderBy('call_index')
      .execute(),
    transitions: await transaction
      .selectFrom('transitions')
      .innerJoin('calls', 'calls.id', 'transitions.call_id')
      .selectAll('transitions')
      .where('calls.run_id', '=', runId)
      .orderBy('transitions.call_id')
      .orderBy('transitions.position')
      .execute(),
  }))
  const transitionsOf = groupByCall(transitions)
  return calls.map((call) => callFrom(call, transitionsOf.get(call.id) ?? []))
}

function groupByCall(rows: readonly Selectable<TransitionsTable>[]): Map<string, Transition[]> {
  const groups = new Map<string, Transition[]>()
  for (const row of rows) {
    const group = groups.get(row.call_id)
    if (group === undefined) groups.set(row.call_id, [transitionFrom(row)])
    else group.push(transitionFrom(row))
  }
  return groups
}

function callFrom(row: Selectable<CallsTable>, transitions: readonly Transition[]): CallRecord {
  const place = { table: 'calls', id: row.id }
  const record = parseRecord(place, row.record, callShape)
  if (record['state'] !== row.state)
    throw damaged(place, `its state is "${row.state}" in one column and not in the other`)
  if (transitions.length !== row.transition_count) {
    throw damaged(place, `${row.transition_count} transitions were expected, ${transitions.length} found`)
  }
  // The shape was checked member by member above.
  return { ...(record as CallRecord), transitions }
}

function transitionFrom(row: Selectable<TransitionsTable>): Transition {
  const place = { table: 'transitions', id: `${row.call_id}/${row.position}` }
  if (!isCallState(row.state)) throw damaged(place, `"${row.state}" is no state of a call`)
  // What JSON.parse gives is JSON.
  return { state: row.state, at: integerFrom(place, row.at), detail: parseJson(place, row.detail) as Json }
}

function isCallState(state: string): state is CallState {
  return (callStates as readonly string[]).includes(state)
}
