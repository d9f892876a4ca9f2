import { FairleadError } from '../fairlead-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { Json } from '../json/json.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { Message } from '../content/message.ts'
import type { Clock } from '../ports/clock.ts'
import { decodeSession, type SessionJson } from './session-json.ts'
import { sessionHandle, type Session } from './session.ts'

/** Stands where the id of the run would be that added a message: that run is in another store. */
const restored = 'restored'

/**
 * Brings a serialised conversation into a store, all of it or nothing. One that is there already with exactly these
 * messages is left as it is; one with other messages is refused with `INVALID_OPTION`. Rejects with `INVALID_MESSAGE`
 * for what is no serialised conversation. Its earlier runs do not come with it: their records stay in the first store,
 * and limits of the conversation count from here.
 */
export async function restoreSession(
  given: unknown,
  ports: { readonly store: Store; readonly clock: Clock },
): Promise<Session> {
  const { store, clock } = ports
  const session = decodeSession(given)
  const entries = entriesOf(session, clock.now())
  if (!(await isThere(session, store)) && entries.length > 0) {
    try {
      await store.journal.append(entries)
    } catch (error) {
      // Somebody else created it meanwhile: with the same messages that is as good.
      if (!(error instanceof JournalConflict) || !(await isThere(session, store))) throw error
    }
  }
  return sessionHandle(session.id, store)
}

function entriesOf(session: SessionJson, at: number): readonly JournalEntry[] {
  const { id: sessionId, createdAt, messages } = session
  if (createdAt === null && messages.length === 0) return []
  const created: JournalEntry = { kind: 'session-created', sessionId, at: createdAt ?? at }
  if (messages.length === 0) return [created]
  return [created, { kind: 'messages-added', sessionId, runId: restored, expectedCount: 0, messages, at }]
}

/** True when the store holds this very conversation, false when it holds nothing of it; rejects when it holds another. */
async function isThere({ id, messages }: SessionJson, store: Store): Promise<boolean> {
  const stored = (await store.sessions.get(id))?.messages
  if (stored === undefined) return false
  const differs = firstDifference(stored, messages)
  if (differs === null) return true
  throw new FairleadError(
    'INVALID_OPTION',
    `This store holds another conversation ${id}: ${stored.length} messages stored, ${messages.length} given, different from message ${differs + 1} on. ` +
      'Nothing was changed. Go on with the stored one (agent.session(id)), or restore into another store.',
  )
}

function firstDifference(stored: readonly Message[], given: readonly Message[]): number | null {
  const longest = Math.max(stored.length, given.length)
  for (let index = 0; index < longest; index++) {
    const [here, there] = [stored[index], given[index]]
    if (here === undefined || there === undefined || jsonOf(here) !== jsonOf(there)) return index
  }
  return null
}

function jsonOf(message: Message): string {
  // A member that is `undefined` is not there: JSON leaves it out, and so does a store of text.
  return canonicalJson(JSON.parse(JSON.stringify(message)) as Json)
}
