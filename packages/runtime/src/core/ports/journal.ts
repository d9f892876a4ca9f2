import type { Json } from '../json/json.ts'
import type { Message } from '../content/message.ts'
import type { Approval, ApprovalEdit, ApprovalStatus } from '../approval/approval.ts'
import type { StandingRule } from '../approval/standing-rule.ts'
import type { CallId } from '../call/call-id.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { CallState } from '../call/call-state.ts'
import type { Lease, RunRecord } from './run-record.ts'

/**
 * One durable fact. Where an entry changes something it says what it expects to find (`expected…`);
 * if the store finds anything else, the whole batch is refused and nothing of it is written.
 */
export type JournalEntry =
  /** `anonymous`: nobody named it, so a store that forgets may forget it with its runs. */
  | {
      readonly kind: 'session-created'
      readonly sessionId: string
      readonly at: number
      readonly anonymous?: boolean
    }
  /** Appends to a conversation that must hold exactly `expectedCount` messages. */
  | {
      readonly kind: 'messages-added'
      readonly sessionId: string
      readonly runId: string
      readonly expectedCount: number
      readonly messages: readonly Message[]
      readonly at: number
    }
  | { readonly kind: 'run-started'; readonly run: RunRecord }
  /** Replaces a run's record (its lease excepted) if its status is the expected one and `worker`, where given, holds the lease. */
  | {
      readonly kind: 'run-changed'
      readonly expectedStatus: RunRecord['status']
      readonly worker: string | null
      readonly run: RunRecord
    }
  /** Takes, renews or releases (`null`) the claim on a run; refused unless the lease found is the expected one. */
  | {
      readonly kind: 'run-claimed'
      readonly runId: string
      readonly expectedLease: Lease | null
      readonly lease: Lease | null
    }
  /** A call's first record: unique by run, turn and index. */
  | { readonly kind: 'call-opened'; readonly call: CallRecord }
  /** Replaces a call's record if its stored state is the expected one. `newTransitions` of its transitions are new. */
  | {
      readonly kind: 'call-moved'
      readonly expectedState: CallState
      readonly newTransitions: number
      readonly call: CallRecord
    }
  | { readonly kind: 'approval-requested'; readonly approval: Approval }
  /** Settles a request that is still pending. */
  | {
      readonly kind: 'approval-decided'
      readonly id: string
      readonly status: Exclude<ApprovalStatus, 'pending'>
      readonly by: string | null
      readonly reason: string | null
      readonly at: number
      /** Other arguments the person approved in their place. */
      readonly edit?: ApprovalEdit | null
    }
  | { readonly kind: 'rule-added'; readonly rule: StandingRule }
  /** Ends a standing rule; refused when there is none of this id or it was revoked already. */
  | { readonly kind: 'rule-revoked'; readonly id: string; readonly by: string; readonly at: number }
  /** The full result of a call. A second one for the same URI replaces the first (a new attempt). */
  | {
      readonly kind: 'evidence-kept'
      readonly uri: string
      readonly runId: string
      readonly callId: CallId
      readonly value: Json
      readonly at: number
    }

/**
 * The one door through which anything durable is written.
 * `append` is atomic: all entries of a batch, or none. It resolves when they are durable. It rejects with
 * `JOURNAL_CONFLICT` when an expectation fails and with `STORE_UNAVAILABLE` when the store cannot write.
 * Writers waiting at the same time may share one commit; each batch keeps its own fate.
 */
export interface Journal {
  append(batch: readonly JournalEntry[]): Promise<void>
  run(id: string): Promise<RunRecord | undefined>
  /** Newest first. */
  runs(filter?: { readonly limit?: number; readonly sessionId?: string }): Promise<readonly RunRecord[]>
  /** The calls of a run in the order of turn and index, transitions included. */
  calls(runId: string): Promise<readonly CallRecord[]>
  /** The calls of every run that are in one of these states, those of the newest run first. Default at most 1,000. */
  callsInState(states: readonly CallState[], limit?: number): Promise<readonly CallRecord[]>
}

/** A conversation's durable state. */
export type SessionRecord = { readonly id: string; readonly createdAt: number; readonly messages: readonly Message[] }

/** Reads conversations. Every write goes through the journal, so that a turn is one transaction. */
export interface SessionStore {
  get(id: string): Promise<SessionRecord | undefined>
}

/** Reads approval requests. Expiry is judged by the caller's clock and written through the journal. */
export interface ApprovalStore {
  get(id: string): Promise<Approval | undefined>
  /** Oldest first. */
  list(filter?: { readonly status?: ApprovalStatus; readonly runId?: string }): Promise<readonly Approval[]>
}

/** Reads standing rules. Expiry is judged by the caller's clock. */
export interface RuleStore {
  get(id: string): Promise<StandingRule | undefined>
  /** Oldest first, revoked and expired ones included. */
  list(filter?: { readonly tool?: string }): Promise<readonly StandingRule[]>
}

/** Evidence as it was kept. */
export type Evidence = {
  readonly uri: string
  readonly runId: string
  readonly callId: CallId
  readonly value: Json
  readonly at: number
}

/** Reads the full results of calls. */
export interface EvidenceStore {
  get(uri: string): Promise<Evidence | undefined>
}

/** The durable ports together, as one store offers them. */
export interface Store {
  readonly journal: Journal
  readonly sessions: SessionStore
  readonly approvals: ApprovalStore
  readonly rules: RuleStore
  readonly evidence: EvidenceStore
  /** True when what is written outlives the process: runs then carry a lease. */
  readonly durable: boolean
  close(): Promise<void>
}
