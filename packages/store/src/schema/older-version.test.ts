import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleApproval, sampleCall, sampleRule, sampleRun } from '@fairlead/runtime/testing'
import { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLibsql } from '../connection/libsql-connection.ts'
import { sqliteDialect } from '../connection/sqlite-dialect.ts'
import { sqliteStore } from '../sqlite-store.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import type { StoreTables } from './store-tables.ts'

let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-older-'))
  file = join(folder, 'store.db')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The file itself, without a store in between. */
async function onFile<T>(work: (database: Kysely<StoreTables>) => Promise<T>): Promise<T> {
  const connection = openLibsql(file, { busyTimeoutMs: 1000 })
  const database = new Kysely<StoreTables>({ dialect: sqliteDialect(connection, 'begin immediate') })
  try {
    return await work(database)
  } finally {
    await database.destroy()
  }
}

function jsonWithout(record: object, ...members: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member))))
}

const versionTwo = migrations.slice(0, 2)
const run = sampleRun({ status: 'suspended', stopReason: 'approval_required' })
const call = sampleCall({ state: 'NeedsApproval', approvalId: 'approval_sample' })
const pending = sampleApproval()
const denied = sampleApproval({ id: 'approval_denied', status: 'denied', decidedBy: 'ben', decidedAt: 7, reason: 'no' })

/** Writes a run that waits for a person as a program of schema version 2 did. */
async function writeVersionTwo(database: Kysely<StoreTables>): Promise<void> {
  await migrate(database, { file, at: 1, steps: versionTwo })
  await database.insertInto('sessions').values({ id: run.sessionId, created_at: 1, message_count: 0 }).execute()
  await database
    .insertInto('runs')
    .values({
      id: run.id,
      session_id: run.sessionId,
      started_at: run.startedAt,
      status: run.status,
      lease_worker: null,
      lease_until: null,
      record: jsonWithout(run, 'parent', 'showsWholeBatch', 'guards'),
    })
    .execute()
  await database
    .insertInto('calls')
    .values({
      id: call.id,
      run_id: run.id,
      turn: call.turn,
      call_index: call.index,
      state: call.state,
      transition_count: 1,
      record: JSON.stringify({ ...call, transitions: [] }),
    })
    .execute()
  const [first] = call.transitions
  await database
    .insertInto('transitions')
    .values({ call_id: call.id, position: 0, state: 'Requested', at: first?.at ?? 0, detail: 'null' })
    .execute()
  for (const approval of [pending, denied]) {
    const { decidedBy, decidedAt, reason } = approval
    await database
      .insertInto('approvals')
      .values({
        id: approval.id,
        run_id: run.id,
        created_at: approval.createdAt,
        record: jsonWithout(approval, 'edited', 'principalId', 'origin', 'owner'),
        status: approval.status,
        decision: JSON.stringify({ decidedBy, decidedAt, reason }),
      })
      .execute()
  }
}

describe('a file of schema version 2', () => {
  it('opens, shows what was written in it, and takes what came with version 3', async () => {
    await onFile(writeVersionTwo)
    const store = sqliteStore({ file })
    const unknownThen = { principalId: '', origin: '', owner: null }
    expect(await store.journal.run(run.id)).toEqual({ ...run, parent: null, showsWholeBatch: false, guards: [] })
    expect(await store.journal.runs()).toHaveLength(1)
    expect(await store.journal.callsInState(['NeedsApproval'])).toEqual([call])
    expect(await store.approvals.list()).toEqual([
      { ...pending, ...unknownThen },
      { ...denied, ...unknownThen },
    ])
    expect(await store.rules.list()).toEqual([])

    const edit = { arguments: { service: 'shipping' }, digest: 'sha256:edited' }
    const decision = { status: 'approved', by: 'ann', reason: null, at: 9, edit } as const
    await store.journal.append([
      { kind: 'approval-decided', id: pending.id, ...decision },
      { kind: 'rule-added', rule: sampleRule() },
    ])
    await store.close()

    const reopened = sqliteStore({ file })
    expect(await reopened.approvals.get(pending.id)).toMatchObject({
      status: 'approved',
      decidedBy: 'ann',
      edited: edit,
    })
    expect(await reopened.rules.list()).toEqual([sampleRule()])
    await reopened.close()
    const rows = await onFile((database) => database.selectFrom('schema_versions').select('version').execute())
    expect(rows.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  })

  it('is refused to a program of that version once it was opened by this one', async () => {
    await onFile(writeVersionTwo)
    const store = sqliteStore({ file })
    await store.ready()
    await store.close()
    const opening = onFile((database) => migrate(database, { file, at: 2, steps: versionTwo }))
    await expect(opening).rejects.toMatchObject({ code: 'STORE_NEWER' })
  })
})
