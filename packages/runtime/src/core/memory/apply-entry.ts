import type { CallRecord } from '../call/call-record.ts'
import type { JournalEntry } from '../ports/journal.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { Lease } from '../ports/run-record.ts'
import { placeOf, type KeptRun, type MemoryTables } from './memory-tables.ts'

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>

/** Takes back one step that was applied. */
export type Undo = () => void

/**
 * Applies one entry to the tables and tells how to take it back.
 * Throws `JournalConflict`, with nothing changed, when the entry's expectation does not hold.
 */
export function applyEntry(tables: MemoryTables, entry: JournalEntry): Undo {
  switch (entry.kind) {
    case 'session-created':
      return createSession(tables, entry)
    case 'messages-added':
      return addMessages(tables, entry)
    case 'run-started':
      return startRun(tables, entry)
    case 'run-changed':
      return changeRun(tables, entry)
    case 'run-claimed':
      return claimRun(tables, entry)
    case 'call-opened':
      return openCall(tables, entry)
    case 'call-moved':
      return moveCall(tables, entry)
    case 'approval-requested':
      return requestApproval(tables, entry)
    case 'approval-decided':
      return decideApproval(tables, entry)
    case 'rule-added':
      return addRule(tables, entry)
    case 'rule-revoked':
      return revokeRule(tables, entry)
    case 'evidence-kept':
      return keepEvidence(tables, entry)
    default:
      return entry satisfies never
  }
}

function createSession({ sessions }: MemoryTables, entry: EntryOf<'session-created'>): Undo {
  const { sessionId } = entry
  if (sessions.has(sessionId)) throw new JournalConflict(entry.kind, `session ${sessionId} exists already`)
  sessions.set(sessionId, {
    id: sessionId,
    createdAt: entry.at,
    messages: [],
    anonymous: entry.anonymous === true,
  })
  return () => sessions.delete(sessionId)
}

function addMessages({ sessions }: MemoryTables, entry: EntryOf<'messages-added'>): Undo {
  const session = sessions.get(entry.sessionId)
  if (session === undefined) throw new JournalConflict(entry.kind, `there is no session ${entry.sessionId}`)
  const { messages } = session
  const count = messages.length
  if (count !== entry.expectedCount) {
    throw new JournalConflict(
      entry.kind,
      `session ${session.id} holds ${count} messages, expected ${entry.expectedCount}`,
    )
  }
  for (const message of entry.messages) messages.push(message)
  return () => {
    messages.length = count
  }
}

function startRun({ runs, runsOfSession }: MemoryTables, entry: EntryOf<'run-started'>): Undo {
  const { run } = entry
  if (runs.has(run.id)) throw new JournalConflict(entry.kind, `run ${run.id} exists already`)
  runs.set(run.id, { run, calls: new Map(), approvals: [], evidence: [] })
  const siblings = runsOfSession.get(run.sessionId)
  if (siblings === undefined) runsOfSession.set(run.sessionId, [run.id])
  else siblings.push(run.id)
  return () => {
    runs.delete(run.id)
    if (siblings === undefined) runsOfSession.delete(run.sessionId)
    else siblings.pop()
  }
}

function changeRun(tables: MemoryTables, entry: EntryOf<'run-changed'>): Undo {
  const kept = runOf(tables, entry.kind, entry.run.id)
  const before = kept.run
  if (before.status !== entry.expectedStatus) {
    throw new JournalConflict(entry.kind, `run ${before.id} is ${before.status}, expected ${entry.expectedStatus}`)
  }
  if (entry.worker !== null && before.lease?.worker !== entry.worker) {
    throw new JournalConflict(entry.kind, `worker ${entry.worker} does not hold the lease of run ${before.id}`)
  }
  kept.run = sameLease(entry.run.lease, before.lease) ? entry.run : { ...entry.run, lease: before.lease }
  return () => {
    kept.run = before
  }
}

function claimRun(tables: MemoryTables, entry: EntryOf<'run-claimed'>): Undo {
  const kept = runOf(tables, entry.kind, entry.runId)
  const before = kept.run
  if (!sameLease(before.lease, entry.expectedLease)) {
    throw new JournalConflict(entry.kind, `run ${before.id} is held by ${before.lease?.worker ?? 'nobody'}`)
  }
  kept.run = { ...before, lease: entry.lease }
  return () => {
    kept.run = before
  }
}

function openCall(tables: MemoryTables, entry: EntryOf<'call-opened'>): Undo {
  const { call } = entry
  const { calls } = runOf(tables, entry.kind, call.runId)
  const place = placeOf(call)
  if (calls.has(place)) throw new JournalConflict(entry.kind, `call ${call.id} exists already`)
  calls.set(place, call)
  return () => calls.delete(place)
}

function moveCall(tables: MemoryTables, entry: EntryOf<'call-moved'>): Undo {
  const { call } = entry
  const calls = tables.runs.get(call.runId)?.calls
  const place = placeOf(call)
  const before = calls?.get(place)
  if (calls === undefined || before?.id !== call.id)
    throw new JournalConflict(entry.kind, `there is no call ${call.id}`)
  if (before.state !== entry.expectedState) {
    throw new JournalConflict(entry.kind, `call ${call.id} is ${before.state}, expected ${entry.expectedState}`)
  }
  if (!follows(before, call, entry.newTransitions)) {
    throw new JournalConflict(entry.kind, `call ${call.id} holds ${before.transitions.length} transitions`)
  }
  calls.set(place, call)
  return () => calls.set(place, before)
}

function requestApproval(tables: MemoryTables, entry: EntryOf<'approval-requested'>): Undo {
  const { approval } = entry
  const kept = runOf(tables, entry.kind, approval.runId)
  if (tables.approvals.has(approval.id)) {
    throw new JournalConflict(entry.kind, `approval ${approval.id} exists already`)
  }
  tables.approvals.set(approval.id, approval)
  kept.approvals.push(approval.id)
  return () => {
    tables.approvals.delete(approval.id)
    kept.approvals.pop()
  }
}

function decideApproval({ approvals }: MemoryTables, entry: EntryOf<'approval-decided'>): Undo {
  const { id, status, by, reason, at, edit = null } = entry
  const before = approvals.get(id)
  if (before === undefined) throw new JournalConflict(entry.kind, `there is no approval ${id}`)
  if (before.status !== 'pending') throw new JournalConflict(entry.kind, `approval ${id} is ${before.status} already`)
  approvals.set(id, { ...before, status, decidedBy: by, decidedAt: at, reason, edited: edit })
  return () => approvals.set(id, before)
}

function addRule({ rules }: MemoryTables, entry: EntryOf<'rule-added'>): Undo {
  const { rule } = entry
  if (rules.has(rule.id)) throw new JournalConflict(entry.kind, `rule ${rule.id} exists already`)
  rules.set(rule.id, rule)
  return () => rules.delete(rule.id)
}

function revokeRule({ rules }: MemoryTables, entry: EntryOf<'rule-revoked'>): Undo {
  const { id, by, at } = entry
  const before = rules.get(id)
  if (before === undefined) throw new JournalConflict(entry.kind, `there is no rule ${id}`)
  if (before.revokedAt !== null) throw new JournalConflict(entry.kind, `rule ${id} is revoked already`)
  rules.set(id, { ...before, revokedAt: at, revokedBy: by })
  return () => rules.set(id, before)
}

function keepEvidence(tables: MemoryTables, entry: EntryOf<'evidence-kept'>): Undo {
  const { uri, runId, callId, value, at } = entry
  const kept = runOf(tables, entry.kind, runId)
  const before = tables.evidence.get(uri)
  tables.evidence.set(uri, { uri, runId, callId, value, at })
  if (before !== undefined) return () => tables.evidence.set(uri, before)
  kept.evidence.push(uri)
  return () => {
    tables.evidence.delete(uri)
    kept.evidence.pop()
  }
}

function runOf(tables: MemoryTables, kind: JournalEntry['kind'], id: string): KeptRun {
  const kept = tables.runs.get(id)
  if (kept === undefined) throw new JournalConflict(kind, `there is no run ${id}`)
  return kept
}

function sameLease(one: Lease | null, other: Lease | null): boolean {
  return one === other || (one !== null && other !== null && one.worker === other.worker && one.until === other.until)
}

/** A state can come back (Executing after Retried); the number of transitions never does, so it is compared too. */
function follows(before: CallRecord, after: CallRecord, newTransitions: number): boolean {
  return before.transitions.length + newTransitions === after.transitions.length
}
