import type { Message } from '../content/message.ts'
import type { SessionStore } from '../ports/journal.ts'

/** A conversation. Its messages live in the agent's store; this is a handle. */
export type Session = {
  readonly id: string
  /** The conversation as it is stored now. A copy. */
  messages(): Promise<readonly Message[]>
}

export function sessionHandle(id: string, store: SessionStore): Session {
  return { id, messages: async () => (await store.get(id))?.messages ?? [] }
}
