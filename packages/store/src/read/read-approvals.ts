import type { Approval, ApprovalStatus, ApprovalStore } from '@fairlead/runtime/core'
import type { Kysely, Selectable } from 'kysely'
import type { ApprovalsTable, StoreTables } from '../schema/store-tables.ts'
import { damaged, parseRecord } from './record-shape.ts'
import type { ShapeOf } from './record-shape.ts'

const approvalShape = {
  id: 'text',
  runId: 'text',
  sessionId: 'text',
  callId: 'text',
  principalId: 'text',
  origin: 'text',
  owner: 'text-or-null',
  tool: 'text',
  version: 'text',
  arguments: 'object',
  risk: 'text',
  effects: 'text',
  impact: 'text-or-null',
  reversible: 'any-json',
  modelReason: 'text-or-null',
  askedBy: 'text',
  askReason: 'text-or-null',
  digest: 'text',
  createdAt: 'number',
  expiresAt: 'number',
} satisfies ShapeOf<Omit<Approval, 'status' | 'decidedBy' | 'decidedAt' | 'reason' | 'edited'>>

const decisionShape = {
  decidedBy: 'text-or-null',
  decidedAt: 'number-or-null',
  reason: 'text-or-null',
  edited: 'object-or-null',
} satisfies ShapeOf<Pick<Approval, 'decidedBy' | 'decidedAt' | 'reason' | 'edited'>>

/** Requests of schema version 2 do not tell these; empty texts, so that no rule made of such a request matches a call. */
const addedToApproval = { principalId: '', origin: '', owner: null }

/** Decisions of schema version 2 say nothing of an edit. */
const addedToDecision = { edited: null }

const approvalStatuses: readonly ApprovalStatus[] = ['pending', 'approved', 'denied', 'expired', 'superseded']

/** The approval request of this id with its decision, or `undefined`. */
export async function readApproval(database: Kysely<StoreTables>, id: string): Promise<Approval | undefined> {
  const row = await database.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : approvalFrom(row)
}

/** Approval requests, oldest first; those of the same millisecond in the order of their arrival. */
export async function readApprovals(
  database: Kysely<StoreTables>,
  filter: Parameters<ApprovalStore['list']>[0] = {},
): Promise<readonly Approval[]> {
  let query = database.selectFrom('approvals').selectAll().orderBy('created_at').orderBy('position')
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.runId !== undefined) query = query.where('run_id', '=', filter.runId)
  const rows = await query.execute()
  return rows.map(approvalFrom)
}

function approvalFrom(row: Selectable<ApprovalsTable>): Approval {
  const place = { table: 'approvals', id: row.id }
  const record = parseRecord(place, row.record, approvalShape, addedToApproval)
  if (!isApprovalStatus(row.status)) throw damaged(place, `"${row.status}" is no status of an approval`)
  const decision = parseRecord(place, row.decision, decisionShape, addedToDecision)
  // Both shapes were checked member by member above.
  return { ...(record as Approval), status: row.status, ...(decision as Pick<Approval, keyof typeof decisionShape>) }
}

function isApprovalStatus(status: string): status is ApprovalStatus {
  return (approvalStatuses as readonly string[]).includes(status)
}
