import { Inbox } from '../loop/inbox.ts'
import type { Store } from '../ports/journal.ts'
import type { ToolChanges } from '../tool/run-tools.ts'
import type { RunOptions } from './agent-options.ts'

/** What a run has beside its agent: options of the run itself, and tools that came or went while it worked. */
export type GivenToRun = {
  readonly options: Pick<RunOptions, 'tools' | 'middleware' | 'instructions'>
  readonly changes: ToolChanges | null
}

/** Of how many suspended runs this process keeps what they were given; the oldest is forgotten first. */
const mostSuspended = 1_000

/** What this process knows of the conversations of one store beside what is written. Shared by all agents on it. */
export class LiveSessions {
  readonly #inboxes = new Map<string, Inbox>()
  /** How many runs listen to a conversation's inbox: two, while one of them is about to be turned away. */
  readonly #listening = new Map<string, number>()
  readonly #given = new Map<string, GivenToRun>()

  /** Where messages for a conversation wait for its model's next turn. */
  inboxOf(sessionId: string): Inbox {
    const known = this.#inboxes.get(sessionId)
    if (known !== undefined) return known
    const inbox = new Inbox()
    this.#inboxes.set(sessionId, inbox)
    return inbox
  }

  /** The same for a run, which closes it when it is over. */
  openInbox(sessionId: string): Inbox {
    this.#listening.set(sessionId, (this.#listening.get(sessionId) ?? 0) + 1)
    return this.inboxOf(sessionId)
  }

  /** Lets go of an inbox nobody put anything into and nobody else listens to. */
  closeInbox(sessionId: string): void {
    const others = (this.#listening.get(sessionId) ?? 1) - 1
    if (others > 0) {
      this.#listening.set(sessionId, others)
      return
    }
    this.#listening.delete(sessionId)
    if (this.#inboxes.get(sessionId)?.isEmpty === true) this.#inboxes.delete(sessionId)
  }

  /** A run waits for an answer: what it was given beside its agent comes back with it. */
  keep(runId: string, given: GivenToRun): void {
    this.#given.delete(runId)
    this.#given.set(runId, given)
    if (this.#given.size <= mostSuspended) return
    const [oldest] = this.#given.keys()
    if (oldest !== undefined) this.#given.delete(oldest)
  }

  givenTo(runId: string): GivenToRun | undefined {
    return this.#given.get(runId)
  }

  forget(runId: string): void {
    this.#given.delete(runId)
  }
}

const byStore = new WeakMap<Store, LiveSessions>()

export function liveSessionsOf(store: Store): LiveSessions {
  const known = byStore.get(store) ?? new LiveSessions()
  byStore.set(store, known)
  return known
}
