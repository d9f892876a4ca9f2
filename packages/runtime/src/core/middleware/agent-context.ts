import type { Message } from '../content/message.ts'
import type { RunUpdate } from '../loop/run-update.ts'
import type { StopReason } from '../loop/stop-reason.ts'
import type { RunContext } from './run-context.ts'

/** How a run stopped, as agent middleware sees it. */
export type AgentOutcome = {
  readonly stopReason: StopReason
  /** The text of the assistant's last message; empty when it said nothing. */
  readonly text: string
  /** The messages of this run so far. */
  readonly messages: readonly Message[]
  readonly error: string | null
}

/**
 * What agent middleware works with: one drive of a run, from its input (or from where it waited) to its next stop.
 * `next` drives it; a second `next` goes on with the same conversation, for example after `addMessage`.
 */
export interface AgentContext extends RunContext {
  readonly kind: 'agent'
  /** True when a stored run goes on: its input was given before. */
  readonly resumed: boolean
  /** The messages the run begins with. Set others before `next` to change them. */
  input: readonly Message[]
  /**
   * How the run stopped, after `next`. Set before `next`, and without it: answers in the place of the run. Set after
   * `next`: takes the place of the run's last message before it is stored. A run that waits for a person cannot be
   * changed.
   */
  get result(): AgentOutcome | undefined
  set result(value: string | Message | AgentOutcome | undefined)
  /** What listeners are told. Register before `next`. */
  readonly stream: RunUpdates
  /** Adds a user message to the conversation before the next `next`. */
  addMessage(message: string | Message): void
  /** The run ends as `terminated`. */
  terminate(result?: string | Message): void
}

/** Hooks on what listeners of a run are told; the run itself is not changed by them. */
export interface RunUpdates {
  map(change: (update: RunUpdate) => RunUpdate | undefined): void
  tap(look: (update: RunUpdate) => void): void
  /** Called once, when the run has stopped. */
  onEnd(done: () => void): void
}
