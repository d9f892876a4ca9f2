import type { Generated } from 'kysely'

/** A conversation; `message_count` is what a new message is compared with. */
export type SessionsTable = { readonly id: string; readonly created_at: number; message_count: number }

/** One message as JSON text, at its place in the conversation. */
export type MessagesTable = {
  readonly session_id: string
  readonly position: number
  readonly run_id: string
  readonly message: string
  readonly at: number
}

/** One run. `position` is the order of arrival; `record` is the whole record as JSON text, its lease excepted. */
export type RunsTable = {
  readonly position: Generated<number>
  readonly id: string
  readonly session_id: string
  readonly started_at: number
  status: string
  lease_worker: string | null
  lease_until: number | null
  record: string
}

/** One call. `record` is the whole record as JSON text, its transitions excepted. */
export type CallsTable = {
  readonly id: string
  readonly run_id: string
  readonly turn: number
  readonly call_index: number
  state: string
  transition_count: number
  record: string
}

/** One transition of a call, never changed. */
export type TransitionsTable = {
  readonly call_id: string
  readonly position: number
  readonly state: string
  readonly at: number
  readonly detail: string
}

/** One approval request. `record` is what was asked; `status` and `decision` (JSON text) are laid over it. */
export type ApprovalsTable = {
  readonly position: Generated<number>
  readonly id: string
  readonly run_id: string
  readonly created_at: number
  readonly record: string
  status: string
  decision: string
}

/** One standing rule. `record` is what was agreed; `revoked_at` and `revoked_by` (JSON text) are laid over it. */
export type StandingRulesTable = {
  readonly position: Generated<number>
  readonly id: string
  readonly tool: string
  readonly record: string
  revoked_at: number | null
  revoked_by: string | null
}

/** The full result of a call as JSON text. */
export type EvidenceTable = {
  readonly uri: string
  run_id: string
  call_id: string
  value: string
  at: number
}

/** One migration that was applied. */
export type SchemaVersionsTable = { readonly version: number; readonly applied_at: number }

/** Every table of a store. Columns are texts and whole numbers only, so that PostgreSQL can take the same queries. */
export type StoreTables = {
  readonly sessions: SessionsTable
  readonly messages: MessagesTable
  readonly runs: RunsTable
  readonly calls: CallsTable
  readonly transitions: TransitionsTable
  readonly approvals: ApprovalsTable
  readonly standing_rules: StandingRulesTable
  readonly evidence: EvidenceTable
  readonly schema_versions: SchemaVersionsTable
}
