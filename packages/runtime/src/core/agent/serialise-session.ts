import { FairleadError } from '../fairlead-error.ts'
import { keepsRunOpen } from '../loop/stop-reason.ts'
import type { Store } from '../ports/journal.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { encodeSession, type SessionJson } from './session-json.ts'

/**
 * A conversation as JSON, as it is stored now. Rejects with `RUN_BUSY` while it has an unfinished run: the calls,
 * approvals and evidence of its runs stay in the store, so that only finished turns can be carried away.
 */
export async function serialiseSession(id: string, store: Store): Promise<SessionJson> {
  const before = await idleRuns(id, store)
  const stored = await store.sessions.get(id)
  const after = await idleRuns(id, store)
  // Two ports, no common snapshot: a run that came and went in between may have been seen half.
  if (after.length !== before.length || after[0]?.id !== before[0]?.id) {
    throw new FairleadError('RUN_BUSY', `Conversation ${id} went on while it was read. Serialise it when it is idle.`)
  }
  return encodeSession(id, stored)
}

async function idleRuns(id: string, store: Store): Promise<readonly RunRecord[]> {
  const runs = await store.journal.runs({ sessionId: id })
  const open = runs.find((run) => run.status !== 'ended')
  if (open === undefined) return runs
  const waits = open.stopReason !== null && keepsRunOpen(open.stopReason)
  throw new FairleadError(
    'RUN_BUSY',
    waits
      ? `Conversation ${id} waits for an answer (run ${open.id}, ${open.stopReason}). Answer it first: what it waits for stays in this store and cannot be serialised.`
      : `Conversation ${id} has an unfinished run (${open.id}). Wait for it, or resume it if its process died, then serialise.`,
  )
}
