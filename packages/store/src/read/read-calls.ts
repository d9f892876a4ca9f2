import { callStates } from '@fairlead/runtime/core'
import type { CallRecord, CallState, Json, Transition } from '@fairlead/runtime/core'
import type { Kysely, Selectable } from 'kysely'
import type { CallsTable, StoreTables, TransitionsTable } from '../schema/store-tables.ts'
import { chunksOf } from '../write/chunks-of.ts'
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

/**
 * The calls of every run that are in one of these states, those of the newest run first and then by turn and index,
 * each with its transitions, all as of one moment. At most `limit`.
 */
export async function readCallsInState(
  database: Kysely<StoreTables>,
  states: readonly CallState[],
  limit = 1000,
): Promise<readonly CallRecord[]> {
  if (states.length === 0) return []
  const { calls, transitions } = await database.transaction().execute(async (transaction) => {
    let query = transaction
      .selectFrom('calls')
      .innerJoin('runs', 'runs.id', 'calls.run_id')
      .selectAll('calls')
      .where('calls.state', 'in', states)
      .orderBy('runs.started_at', 'desc')
      .orderBy('runs.position', 'desc')
      .orderBy('calls.turn')
      .orderBy('calls.call_index')
    if (Number.isFinite(limit)) query = query.limit(Math.max(0, limit))
    const found = await query.execute()
    return { calls: found, transitions: await transitionsOfCalls(transaction, found) }
  })
  const transitionsOf = groupByCall(transitions)
  return calls.map((call) => callFrom(call, transitionsOf.get(call.id) ?? []))
}

async function transitionsOfCalls(
  database: Kysely<StoreTables>,
  calls: readonly Selectable<CallsTable>[],
): Promise<readonly Selectable<TransitionsTable>[]> {
  const found: Selectable<TransitionsTable>[] = []
  for (const some of chunksOf(calls.map((call) => call.id))) {
    const query = database.selectFrom('transitions').selectAll().where('call_id', 'in', some)
    for (const row of await query.orderBy('call_id').orderBy('position').execute()) found.push(row)
  }
  return found
}

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
