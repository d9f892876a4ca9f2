import type { JournalEntry } from '../ports/journal.ts'
import type { MemoryTables } from './memory-tables.ts'

/** Keeps memory bounded: forgets the runs that ended first. */
export interface RunRetention {
  /** Told of every batch after it was applied. */
  applied(batch: readonly JournalEntry[]): void
}

/**
 * Forgets, once more than `keepRuns` runs have ended, the one that ended first: its calls, evidence and approvals. In a
 * conversation nobody named, the run itself goes too, and the conversation with its last run; in a named one messages
 * and run records stay. A running or suspended run is never forgotten. Constant amortised time.
 */
export function runRetention(tables: MemoryTables, keepRuns: number): RunRetention {
  let ended: string[] = []
  let head = 0

  function forget(runId: string): void {
    const kept = tables.runs.get(runId)
    if (kept === undefined || kept.run.status !== 'ended') return
    for (const id of kept.approvals) tables.approvals.delete(id)
    for (const uri of kept.evidence) tables.evidence.delete(uri)
    const { sessionId } = kept.run
    if (tables.sessions.get(sessionId)?.anonymous === false) {
      Object.assign(kept, { calls: new Map(), approvals: [], evidence: [] })
      return
    }
    tables.runs.delete(runId)
    const siblings = tables.runsOfSession.get(sessionId) ?? []
    const place = siblings.indexOf(runId)
    if (place >= 0) siblings.splice(place, 1)
    if (siblings.length > 0) return
    tables.runsOfSession.delete(sessionId)
    tables.sessions.delete(sessionId)
  }

  function forgetSurplus(): void {
    while (ended.length - head > keepRuns) {
      const runId = ended[head++]
      if (runId !== undefined) forget(runId)
    }
    if (head > keepRuns + 64) {
      ended = ended.slice(head)
      head = 0
    }
  }

  return {
    applied(batch) {
      for (const entry of batch) {
        const mayEnd =
          entry.kind === 'run-started' || (entry.kind === 'run-changed' && entry.expectedStatus !== 'ended')
        if (mayEnd && entry.run.status === 'ended') ended.push(entry.run.id)
      }
      if (ended.length - head > keepRuns) forgetSurplus()
    },
  }
}
