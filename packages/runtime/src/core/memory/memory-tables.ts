import type { Approval } from '../approval/approval.ts'
import type { StandingRule } from '../approval/standing-rule.ts'
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

/** A run with its calls, and the keys of what else is forgotten with it. */
export type KeptRun = {
  run: RunRecord
  /** By their place in the run, see {@link placeOf}: looking up a number costs a fraction of looking up an id. */
  calls: Map<number, CallRecord>
  approvals: string[]
  evidence: string[]
}

/** More calls than any turn has, yet small enough that the places of a thousand turns are small integers. */
const mostCallsOfTurn = 2 ** 20

/** Turn and index of a call in one number. */
export function placeOf({ turn, index }: Pick<CallRecord, 'turn' | 'index'>): number {
  return turn * mostCallsOfTurn + index
}

/** Everything an in-memory store holds, by id. */
export type MemoryTables = {
  readonly sessions: Map<string, KeptSession>
  readonly runs: Map<string, KeptRun>
  /** The ids of a session's runs in the order of their arrival; a session without runs has no entry. */
  readonly runsOfSession: Map<string, string[]>
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
    approvals: new Map(),
    rules: new Map(),
    evidence: new Map(),
  }
}
