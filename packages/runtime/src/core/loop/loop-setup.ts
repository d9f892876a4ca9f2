import type { Consult } from '../approval/consult.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { Pipeline } from '../call/pipeline.ts'
import type { ChatClient, ToolChoice } from '../chat/chat-client.ts'
import type { Message } from '../content/message.ts'
import type { ApprovalStore } from '../ports/journal.ts'
import type { HistoryHook } from './history-hook.ts'
import type { Inbox } from './inbox.ts'
import type { LoopLimits } from './loop-limits.ts'
import type { Outbox } from './outbox.ts'
import type { Price, SessionLimits, Spent } from './run-budget.ts'
import type { RunPatch } from './run-patch.ts'
import type { RunWriter } from './run-writer.ts'
import type { StopReason } from './stop-reason.ts'

/** Everything one drive of the loop works with. */
export type LoopSetup = {
  /** `null`: the host called one tool itself; the run ends with that call. */
  readonly model: ChatClient | null
  /** What the model is told beside the conversation; context providers add to it. */
  readonly brought: Brought
  readonly history: HistoryHook | null
  /** For the first turn; `required` and a named tool fall back to `auto` after it. */
  readonly toolChoice: ToolChoice
  readonly limits: LoopLimits
  readonly sessionLimits: SessionLimits
  readonly spent: Spent
  readonly price: Price
  readonly pipeline: Pipeline
  readonly writer: RunWriter
  readonly outbox: Outbox
  readonly inbox: Inbox
  readonly ending: RunEnding
  readonly approvals: ApprovalStore
  /** Who approves in a person's place. */
  readonly consult: Consult
  /** Whether a batch goes on with the answers it has, or waits for all of them. */
  readonly partialAnswers: 'wait' | 'run'
  readonly streaming: boolean
  /** When this drive began, on the clock; what the run worked before is on its record. */
  readonly drivenSince: number
  /** Calls of a turn that is not finished: a stored run that goes on. */
  readonly openCalls: readonly CallRecord[] | null
  /** Batches in a row with a failed call, before this drive. */
  readonly errorStreak: number
  /** A call the host proposes itself, instead of a model. */
  readonly hostCall: { readonly name: string; readonly arguments: string } | null
}

/** Instructions, and messages shown before the run's own; neither is stored. */
export type Brought = { instructions: string | undefined; readonly messages: Message[] }

/** What is known of a run's end before it is written. */
export type RunEnding = {
  /** Who asked for the end, once somebody did. */
  terminatedBy: string | null
  /** Middleware around the run sees its end before it is written. */
  readonly isHeld: boolean
  held: { readonly reason: StopReason; readonly patch: RunPatch } | null
}

/** Milliseconds the run was worked on so far, this drive included. */
export function workedMs(setup: LoopSetup): number {
  return setup.writer.run.workedMs + Math.max(0, setup.pipeline.ports.clock.now() - setup.drivenSince)
}

/** Milliseconds left of the run's deadline, at least one, or `null` without a deadline. */
export function remainingMs(setup: LoopSetup): number | null {
  return setup.limits.deadlineMs === null ? null : Math.max(1, setup.limits.deadlineMs - workedMs(setup))
}
