import type { Journal, Lease, RunRecord } from '@fairlead/runtime/core'
import type { Kysely, Selectable } from 'kysely'
import type { RunsTable, StoreTables } from '../schema/store-tables.ts'
import { integerFrom, parseRecord } from './record-shape.ts'
import type { RowPlace, ShapeOf } from './record-shape.ts'

const runShape = {
  id: 'text',
  traceId: 'text',
  sessionId: 'text',
  agent: 'text',
  kind: ['agent', 'call'],
  principal: 'object',
  environment: 'text',
  startedWith: 'any-json',
  parent: 'any-json',
  showsWholeBatch: 'boolean',
  guards: 'list',
  startedAt: 'number',
  endedAt: 'number-or-null',
  status: ['running', 'suspended', 'ended'],
  stopReason: 'text-or-null',
  firstMessage: 'number',
  turns: 'number',
  calls: 'number',
  usage: 'object',
  usageKnown: 'boolean',
  costUsd: 'number-or-null',
  workedMs: 'number',
  conversationId: 'text-or-null',
  ignoredParts: 'number',
  error: 'text-or-null',
} satisfies ShapeOf<Omit<RunRecord, 'lease'>>

/** Runs of schema version 2 do not have these. */
const addedToRun = { parent: null, showsWholeBatch: false, guards: [] }

/** The run of this id with its lease, or `undefined`. */
export async function readRun(database: Kysely<StoreTables>, id: string): Promise<RunRecord | undefined> {
  const row = await database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : runFrom(row)
}

/** Runs, newest first; those that started in the same millisecond in the reverse order of their arrival. */
export async function readRuns(
  database: Kysely<StoreTables>,
  filter: Parameters<Journal['runs']>[0] = {},
): Promise<readonly RunRecord[]> {
  let query = database.selectFrom('runs').selectAll().orderBy('started_at', 'desc').orderBy('position', 'desc')
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId)
  if (filter.limit !== undefined && Number.isFinite(filter.limit)) query = query.limit(Math.max(0, filter.limit))
  const rows = await query.execute()
  return rows.map(runFrom)
}

function runFrom(row: Selectable<RunsTable>): RunRecord {
  const place = { table: 'runs', id: row.id }
  const record = parseRecord(place, row.record, runShape, addedToRun)
  // The shape was checked member by member above.
  return { ...(record as RunRecord), lease: leaseFrom(place, row) }
}

function leaseFrom(place: RowPlace, row: Selectable<RunsTable>): Lease | null {
  if (row.lease_worker === null) return null
  return { worker: row.lease_worker, until: integerFrom(place, row.lease_until) }
}
