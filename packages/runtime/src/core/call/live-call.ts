import type { Approval } from '../approval/approval.ts'
import type { Json } from '../json/json.ts'
import { FairleadError } from '../fairlead-error.ts'
import { deepFreeze } from '../json/deep-freeze.ts'
import type { JournalEntry } from '../ports/journal.ts'
import type { Tool } from '../tool/tool.ts'
import { evidenceUriOf } from './call-id.ts'
import type { CallRecord, Transition } from './call-record.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import { advance, type CallState } from './call-state.ts'

const none: readonly never[] = []

type Patch = Partial<Omit<CallRecord, 'state' | 'transitions'>>
type Draft = Omit<CallRecord, 'state' | 'transitions'> & { state: CallState; transitions: Transition[] }

/**
 * A call on its way: its record so far and what of it the journal has not seen yet. The one place that changes a
 * call's state, and only along the table of legal transitions.
 */
export class LiveCall {
  readonly tool: Tool | null
  /** Approvals of this call that were granted earlier; set when its run is taken up. */
  consents: readonly Approval[] = none
  /** What the host answered a call of its own with, while that is on its way through middleware. */
  hostOutcome: ExecutionOutcome | null = null
  /** Counted against the limits of its tool, and not started yet. */
  isAdmitted = false
  /** Changed in place until it was handed out; then the next change begins with a copy. */
  #record: Draft
  #handedOut: boolean
  #savedState: CallState | null
  #unsaved = 0
  #evidence: { readonly value: Json } | undefined

  private constructor(record: CallRecord, tool: Tool | null, savedState: CallState | null) {
    this.#record = record as Draft
    this.tool = tool
    this.#savedState = savedState
    this.#handedOut = savedState !== null
    if (savedState === null) this.#unsaved = record.transitions.length
  }

  /** A call that was just proposed: its record holds the one transition to Requested. */
  static proposed(record: CallRecord, tool: Tool | null): LiveCall {
    return new LiveCall(record, tool, null)
  }

  /** A call read back from the journal. */
  static stored(record: CallRecord, tool: Tool | null): LiveCall {
    return new LiveCall(record, tool, record.state)
  }

  /** As it stands now. Read it at once: a later step may change this very object until it is journalled. */
  get record(): CallRecord {
    return this.#record
  }

  /** As it stands, for others to keep: a copy that never changes, and that they cannot change. */
  handOut(): CallRecord {
    return deepFreeze({ ...this.#record, transitions: this.#record.transitions.slice() })
  }

  /** True once the call has its answer: whatever a stage still says about it comes too late. */
  get isAnswered(): boolean {
    return this.#record.result !== null
  }

  get state(): CallState {
    return this.#record.state
  }

  /** Steps to a state, with what became known on the way. Throws `ILLEGAL_TRANSITION` off the table. */
  move(to: CallState, at: number, detail: Json = null, patch?: Patch): void {
    const from = this.#record.state
    const state = advance(from, to)
    if (state === undefined) {
      throw new FairleadError('ILLEGAL_TRANSITION', `Call ${this.#record.id} cannot go from ${from} to ${to}.`)
    }
    const draft = this.#writable()
    draft.state = state
    draft.transitions.push({ state, at, detail })
    if (patch !== undefined) Object.assign(draft, patch)
    this.#unsaved++
  }

  /** Notes something that is no transition. It is written with the next step. */
  note(patch: Patch): void {
    Object.assign(this.#writable(), patch)
  }

  #writable(): Draft {
    if (this.#handedOut) {
      this.#record = { ...this.#record, transitions: this.#record.transitions.slice() }
      this.#handedOut = false
    }
    return this.#record
  }

  /** Keeps the full result of an execution; it is written with the step that settles the call. */
  keepEvidence(value: Json): void {
    this.#evidence = { value }
  }

  /** The transitions the journal has not seen. */
  get unsaved(): readonly Transition[] {
    return this.#unsaved === 0 ? [] : this.#record.transitions.slice(-this.#unsaved)
  }

  /** Adds the entries that bring the journal up to date; none when it is. Marks the steps as handed over. */
  takeEntries(batch: JournalEntry[]): void {
    if (this.#unsaved === 0) return
    const call = this.#record
    this.#handedOut = true
    batch.push(
      this.#savedState === null
        ? { kind: 'call-opened', call }
        : { kind: 'call-moved', expectedState: this.#savedState, newTransitions: this.#unsaved, call },
    )
    this.#savedState = call.state
    this.#unsaved = 0
    if (this.#evidence === undefined) return
    const { value } = this.#evidence
    this.#evidence = undefined
    const { runId, id } = call
    const at = call.transitions.at(-1)?.at ?? 0
    batch.push({ kind: 'evidence-kept', uri: evidenceUriOf(runId, id), runId, callId: id, value, at })
  }
}
