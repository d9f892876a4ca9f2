import { JournalConflict } from '@fairlead/runtime/core'
import type { JournalEntry } from '@fairlead/runtime/core'
import type { Kysely, UpdateResult } from 'kysely'
import { isFailure } from '../connection/sqlite-failure.ts'
import type { StoreTables } from '../schema/store-tables.ts'
import { chunksOf } from './chunks-of.ts'
import type { EncodedBatch, WriteStep } from './encode-batch.ts'

type Step<Kind extends WriteStep['kind']> = Extract<WriteStep, { readonly kind: Kind }>

/**
 * Writes one batch inside the caller's transaction. Rejects with `JournalConflict` when an expectation does not hold;
 * the caller then rolls back to where the batch began.
 */
export async function applyBatch(database: Kysely<StoreTables>, batch: EncodedBatch): Promise<void> {
  for (const step of batch.steps) await applyStep(database, step)
  for (const rows of chunksOf(batch.transitions)) {
    await refusing('call-moved', 'a transition exists already', () =>
      database.insertInto('transitions').values(rows).execute(),
    )
  }
}

async function applyStep(database: Kysely<StoreTables>, step: WriteStep): Promise<void> {
  switch (step.kind) {
    case 'session-created':
      return refusing(step.kind, `session ${step.row.id} exists already`, () =>
        database.insertInto('sessions').values(step.row).execute(),
      )
    case 'messages-added':
      return addMessages(database, step)
    case 'run-started':
      return refusing(step.kind, `run ${step.row.id} exists already`, () =>
        database.insertInto('runs').values(step.row).execute(),
      )
    case 'run-changed':
      return changeRun(database, step)
    case 'run-claimed':
      return claimRun(database, step)
    case 'call-opened':
      return openCalls(database, step)
    case 'call-moved':
      return moveCall(database, step)
    case 'approval-requested':
      return refusing(step.kind, `approval ${step.row.id} exists already, or its run does not`, () =>
        database.insertInto('approvals').values(step.row).execute(),
      )
    case 'approval-decided':
      return decideApproval(database, step)
    case 'rule-added':
      return refusing(step.kind, `rule ${step.row.id} exists already`, () =>
        database.insertInto('standing_rules').values(step.row).execute(),
      )
    case 'rule-revoked':
      return revokeRule(database, step)
    case 'evidence-kept':
      return keepEvidence(database, step)
    default:
      return step satisfies never
  }
}

async function addMessages(database: Kysely<StoreTables>, step: Step<'messages-added'>): Promise<void> {
  const { sessionId, expectedCount, rows } = step
  const result = await database
    .updateTable('sessions')
    .set({ message_count: expectedCount + rows.length })
    .where('id', '=', sessionId)
    .where('message_count', '=', expectedCount)
    .executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `session ${sessionId} does not hold ${expectedCount} messages`)
  for (const some of chunksOf(rows)) {
    await refusing(step.kind, `session ${sessionId} holds more messages than it counts`, () =>
      database.insertInto('messages').values(some).execute(),
    )
  }
}

async function changeRun(database: Kysely<StoreTables>, step: Step<'run-changed'>): Promise<void> {
  let update = database
    .updateTable('runs')
    .set({ status: step.status, record: step.record })
    .where('id', '=', step.id)
    .where('status', '=', step.expectedStatus)
  if (step.worker !== null) update = update.where('lease_worker', '=', step.worker)
  const held = step.worker === null ? '' : ` or not held by ${step.worker}`
  const result = await update.executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `run ${step.id} is not ${step.expectedStatus}${held}`)
}

async function claimRun(database: Kysely<StoreTables>, step: Step<'run-claimed'>): Promise<void> {
  const { runId, expectedLease, lease } = step
  const update = database
    .updateTable('runs')
    .set({ lease_worker: lease?.worker ?? null, lease_until: lease?.until ?? null })
    .where('id', '=', runId)
  const result = await (
    expectedLease === null
      ? update.where('lease_worker', 'is', null)
      : update.where('lease_worker', '=', expectedLease.worker).where('lease_until', '=', expectedLease.until)
  ).executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `the lease of run ${runId} is not the expected one`)
}

async function openCalls(database: Kysely<StoreTables>, step: Step<'call-opened'>): Promise<void> {
  for (const rows of chunksOf(step.rows)) {
    const ids = rows.map((row) => row.id).join(', ')
    await refusing(step.kind, `a call exists already, or its run does not (${ids})`, () =>
      database.insertInto('calls').values(rows).execute(),
    )
  }
}

async function moveCall(database: Kysely<StoreTables>, step: Step<'call-moved'>): Promise<void> {
  const { row, expectedState, expectedTransitions } = step
  // A state can come back (Executing after Retried); the number of transitions never does, so it is compared too.
  const result = await database
    .updateTable('calls')
    .set({ state: row.state, transition_count: row.transition_count, record: row.record })
    .where('id', '=', row.id)
    .where('state', '=', expectedState)
    .where('transition_count', '=', expectedTransitions)
    .executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `call ${row.id} is not ${expectedState} with ${expectedTransitions} transitions`)
}

async function decideApproval(database: Kysely<StoreTables>, step: Step<'approval-decided'>): Promise<void> {
  const result = await database
    .updateTable('approvals')
    .set({ status: step.status, decision: step.decision })
    .where('id', '=', step.id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `approval ${step.id} is not pending`)
}

async function revokeRule(database: Kysely<StoreTables>, step: Step<'rule-revoked'>): Promise<void> {
  const result = await database
    .updateTable('standing_rules')
    .set({ revoked_at: step.at, revoked_by: step.by })
    .where('id', '=', step.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  expectOneRow(result, step.kind, `there is no rule ${step.id}, or it is revoked already`)
}

async function keepEvidence(database: Kysely<StoreTables>, step: Step<'evidence-kept'>): Promise<void> {
  for (const rows of chunksOf(step.rows)) {
    await refusing(step.kind, 'its run does not exist', () =>
      database
        .insertInto('evidence')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('uri').doUpdateSet((build) => ({
            run_id: build.ref('excluded.run_id'),
            call_id: build.ref('excluded.call_id'),
            value: build.ref('excluded.value'),
            at: build.ref('excluded.at'),
          })),
        )
        .execute(),
    )
  }
}

function expectOneRow(result: UpdateResult, kind: JournalEntry['kind'], found: string): void {
  if (result.numUpdatedRows !== 1n) throw new JournalConflict(kind, found)
}

async function refusing(kind: JournalEntry['kind'], found: string, insert: () => Promise<unknown>): Promise<void> {
  try {
    await insert()
  } catch (error) {
    throw isFailure(error, 'constraint') ? new JournalConflict(kind, found) : error
  }
}
