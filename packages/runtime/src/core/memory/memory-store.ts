import type { Approval } from '../approval/approval.ts'
import type { StandingRule } from '../approval/standing-rule.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { CallState } from '../call/call-state.ts'
import { FairleadError } from '../fairlead-error.ts'
import type {
  ApprovalStore,
  EvidenceStore,
  Journal,
  JournalEntry,
  RuleStore,
  SessionStore,
  Store,
} from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { writtenNow } from '../ports/written-now.ts'
import { applyEntry } from './apply-entry.ts'
import type { Undo } from './apply-entry.ts'
import { emptyTables } from './memory-tables.ts'
import type { MemoryTables } from './memory-tables.ts'
import { runRetention } from './run-retention.ts'

/** `keepRuns`: of how many ended runs everything is kept before the oldest is forgotten (default 10). */
export type MemoryStoreOptions = { readonly keepRuns?: number }

/**
 * A store that lives in this process and ends with it. Records are kept as they are given, without copying, so the
 * caller must not change them afterwards. When more than `keepRuns` runs have ended, the calls, evidence and approvals of
 * the one that ended first are forgotten, and the run with them if nobody named its conversation; standing rules
 * never are. `close` has nothing to release: what was written stays readable. Throws `INVALID_OPTION` for a `keepRuns` that is no whole number.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const keepRuns = options.keepRuns ?? 10
  if (!Number.isInteger(keepRuns) || keepRuns < 0) {
    throw new FairleadError('INVALID_OPTION', `keepRuns must be a whole number from 0 up, found ${keepRuns}.`)
  }
  const tables = emptyTables()
  const retention = runRetention(tables, keepRuns)
  const journal: Journal = {
    append(batch) {
      try {
        applyBatch(tables, batch)
      } catch (error) {
        return Promise.reject(error as Error)
      }
      retention.applied(batch)
      return writtenNow
    },
    run: async (id) => tables.runs.get(id)?.run,
    runs: async (filter) => runsOf(tables, filter),
    calls: async (runId) => callsOf(tables, runId),
    callsInState: async (states, limit) => callsInState(tables, states, limit),
  }
  const sessions: SessionStore = {
    async get(id) {
      const session = tables.sessions.get(id)
      if (session === undefined) return undefined
      const { createdAt, messages } = session
      return { id, createdAt, messages: messages.slice() }
    },
  }
  const approvals: ApprovalStore = {
    get: async (id) => tables.approvals.get(id),
    list: async (filter) => approvalsOf(tables, filter),
  }
  const rules: RuleStore = {
    get: async (id) => tables.rules.get(id),
    list: async (filter) => rulesOf(tables, filter),
  }
  const evidence: EvidenceStore = { get: async (uri) => tables.evidence.get(uri) }
  return { journal, sessions, approvals, rules, evidence, durable: false, close: async () => undefined }
}

function applyBatch(tables: MemoryTables, batch: readonly JournalEntry[]): void {
  const applied: Undo[] = []
  try {
    for (const entry of batch) applied.push(applyEntry(tables, entry))
  } catch (error) {
    for (const undo of applied.toReversed()) undo()
    throw error
  }
}

function runsOf(tables: MemoryTables, filter: Parameters<Journal['runs']>[0] = {}): readonly RunRecord[] {
  const { limit, sessionId } = filter
  const ids = sessionId === undefined ? tables.runs.keys() : (tables.runsOfSession.get(sessionId) ?? [])
  const newestFirst = recordsOf(ids, (id) => tables.runs.get(id)?.run)
    .toReversed()
    .sort((one, other) => other.startedAt - one.startedAt)
  return limit === undefined ? newestFirst : newestFirst.slice(0, Math.max(0, limit))
}

function callsOf(tables: MemoryTables, runId: string): readonly CallRecord[] {
  return Array.from(tables.runs.get(runId)?.calls.values() ?? []).sort(
    (one, other) => one.turn - other.turn || one.index - other.index,
  )
}

function callsInState(tables: MemoryTables, states: readonly CallState[], limit = 1000): readonly CallRecord[] {
  const wanted = new Set(states)
  const found = runsOf(tables).flatMap((run) => callsOf(tables, run.id).filter((call) => wanted.has(call.state)))
  return found.slice(0, Math.max(0, limit))
}

function rulesOf(tables: MemoryTables, filter: Parameters<RuleStore['list']>[0] = {}): readonly StandingRule[] {
  const { tool } = filter
  return Array.from(tables.rules.values())
    .filter((rule) => tool === undefined || rule.tool === tool)
    .sort((one, other) => one.createdAt - other.createdAt)
}

function approvalsOf(tables: MemoryTables, filter: Parameters<ApprovalStore['list']>[0] = {}): readonly Approval[] {
  const { status, runId } = filter
  const ids = runId === undefined ? tables.approvals.keys() : (tables.runs.get(runId)?.approvals ?? [])
  return recordsOf(ids, (id) => tables.approvals.get(id))
    .filter((approval) => status === undefined || approval.status === status)
    .sort((one, other) => one.createdAt - other.createdAt)
}

function recordsOf<Id, Kept>(ids: Iterable<Id>, find: (id: Id) => Kept | undefined): Kept[] {
  const found: Kept[] = []
  for (const id of ids) {
    const record = find(id)
    if (record !== undefined) found.push(record)
  }
  return found
}
