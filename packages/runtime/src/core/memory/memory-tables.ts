import type { Approval } from '../approval/approval.ts'
import type { StandingRule } from '../approval/standing-rule.ts'
import type { CallId } from '../call/call-id.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { Message } from '../content/message.ts'
import type { Evidence } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'

/** A session as it grows: `messages` is appended to in place and copied when it is read. */
export type KeptSession = {
  readonly id: string
  readonly createdAt: number
  readonly messages: Message[]
  /** Nobody named it: forgotten with its last run. */
  readonly anonymous: boolean
}

/** A run and the keys of everything that is forgotten with it. */
export type KeptRun = {
  run: RunRecord
  calls: CallId[]
  positions: Set<number>
  approvals: string[]
  evidence: string[]
}

/** Everything an in-memory store holds, by id. */
export type MemoryTables = {
  readonly sessions: Map<string, KeptSession>
  readonly runs: Map<string, KeptRun>
  /** The ids of a session's runs in the order of their arrival; a session without runs has no entry. */
  readonly runsOfSession: Map<string, string[]>
  readonly calls: Map<CallId, CallRecord>
  readonly approvals: Map<string, Approval>
  /** Never forgotten: a rule outlives the run it was made in. */
  readonly rules: Map<string, StandingRule>
  readonly evidence: Map<string, Evidence>
}

/** Tables with nothing in them. */
export function emptyTables(): MemoryTables {
  return {
    sessions: new Map(),
    runs: new Map(),
    runsOfSession: new Map(),
    calls: new Map(),
    approvals: new Map(),
    rules: new Map(),
    evidence: new Map(),
  }
}
