import type { Kysely } from 'kysely'
import type { StoreTables } from './store-tables.ts'

/** One step of the schema, from the version before it to its own. Never changed after a release: add the next one. */
export type Migration = (database: Kysely<StoreTables>) => Promise<void>

/** Every migration in order; the version of a schema is how many of them were applied. */
export const migrations: readonly Migration[] = [createTables, createIndexes, createStandingRules]

async function createTables({ schema }: Kysely<StoreTables>): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('message_count', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .createTable('messages')
    .addColumn('session_id', 'text', (column) => column.notNull().references('sessions.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('messages_key', ['session_id', 'position'])
    .execute()
  await schema
    .createTable('runs')
    .addColumn('position', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('session_id', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('lease_worker', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('record', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('turn', 'integer', (column) => column.notNull())
    .addColumn('call_index', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('transition_count', 'integer', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('transitions')
    .addColumn('call_id', 'text', (column) => column.notNull().references('calls.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('transitions_key', ['call_id', 'position'])
    .execute()
  await schema
    .createTable('approvals')
    .addColumn('position', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('decision', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('evidence')
    .addColumn('uri', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) => column.notNull().references('runs.id'))
    .addColumn('call_id', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
}

async function createIndexes({ schema }: Kysely<StoreTables>): Promise<void> {
  await schema.createIndex('calls_by_run').unique().on('calls').columns(['run_id', 'turn', 'call_index']).execute()
  await schema.createIndex('calls_by_state').on('calls').columns(['state', 'run_id']).execute()
  await schema.createIndex('runs_by_time').on('runs').columns(['started_at', 'position']).execute()
  await schema.createIndex('runs_by_session').on('runs').columns(['session_id', 'started_at', 'position']).execute()
  await schema.createIndex('runs_by_status').on('runs').columns(['status', 'started_at']).execute()
  await schema.createIndex('approvals_by_status').on('approvals').columns(['status', 'created_at']).execute()
  await schema.createIndex('approvals_by_run').on('approvals').columns(['run_id', 'created_at']).execute()
  await schema.createIndex('evidence_by_run').on('evidence').columns(['run_id']).execute()
}

async function createStandingRules({ schema }: Kysely<StoreTables>): Promise<void> {
  await schema
    .createTable('standing_rules')
    .addColumn('position', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .addColumn('revoked_by', 'text')
    .execute()
  await schema.createIndex('standing_rules_by_tool').on('standing_rules').columns(['tool', 'position']).execute()
}
