import type { Message } from '../content/message.ts'
import type { Store } from '../ports/journal.ts'
import { serialiseSession } from './serialise-session.ts'
import type { SessionJson } from './session-json.ts'

/** A conversation. Its messages live in the agent's store; this is a handle. */
export type Session = {
  readonly id: string
  /** The conversation as it is stored now. A copy. */
  messages(): Promise<readonly Message[]>
  /**
   * The conversation as versioned plain JSON, which `agent.restoreSession` takes in any process. A copy. Rejects with
   * `RUN_BUSY` while a run of it is not finished, waiting for an answer included.
   */
  serialise(): Promise<SessionJson>
}

export function sessionHandle(id: string, store: Store): Session {
  return {
    id,
    messages: async () => (await store.sessions.get(id))?.messages ?? [],
    serialise: () => serialiseSession(id, store),
  }
}
