import { Inbox } from '../loop/inbox.ts'
import type { Store } from '../ports/journal.ts'
import type { ToolSet } from '../tool/run-tools.ts'

/** Of how many suspended runs this process keeps the tools they gained; the oldest is forgotten first. */
const mostSuspended = 1_000

/** What this process knows of the conversations of one store beside what is written. Shared by all agents on it. */
export class LiveSessions {
  readonly #inboxes = new Map<string, Inbox>()
  readonly #tools = new Map<string, ToolSet>()

  /** Where messages for a conversation wait for its model's next turn. */
  inboxOf(sessionId: string): Inbox {
    const known = this.#inboxes.get(sessionId)
    if (known !== undefined) return known
    const inbox = new Inbox()
    this.#inboxes.set(sessionId, inbox)
    return inbox
  }

  /** Lets go of an inbox nobody put anything into. */
  closeInbox(sessionId: string): void {
    if (this.#inboxes.get(sessionId)?.isEmpty === true) this.#inboxes.delete(sessionId)
  }

  /** A run waits for an answer: the tools it has now come back with it. */
  keepTools(runId: string, tools: ToolSet): void {
    this.#tools.delete(runId)
    this.#tools.set(runId, tools)
    if (this.#tools.size <= mostSuspended) return
    const [oldest] = this.#tools.keys()
    if (oldest !== undefined) this.#tools.delete(oldest)
  }

  takeTools(runId: string): ToolSet | undefined {
    const tools = this.#tools.get(runId)
    this.#tools.delete(runId)
    return tools
  }
}

const byStore = new WeakMap<Store, LiveSessions>()

export function liveSessionsOf(store: Store): LiveSessions {
  const known = byStore.get(store) ?? new LiveSessions()
  byStore.set(store, known)
  return known
}
