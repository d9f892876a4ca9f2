import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { withinRun } from '../call/within-run.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Journal, JournalEntry } from '../ports/journal.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { RecordedStep, Recorder } from '../ports/recorder.ts'
import type { Lease, RunRecord, Usage } from '../ports/run-record.ts'
import { writtenNow } from '../ports/written-now.ts'
import type { Outbox } from './outbox.ts'
import type { RunUpdate } from './run-update.ts'
import { addCost } from './run-budget.ts'
import { patchRun, type RunPatch } from './run-patch.ts'

export type RunWriterOptions = {
  readonly run: RunRecord
  readonly messages: readonly Message[]
  /** Entries that open the run; they go out with the first commit. */
  readonly opening: readonly JournalEntry[]
  readonly journal: Journal
  readonly recorder: Recorder | null
  readonly clock: Clock
  readonly worker: string
  /** How long the recorder is waited for: as long as the run goes on. */
  readonly patience: () => Parameters<typeof withinRun>[1]
  /** Check the claim on the run with every commit: needed where another process could have taken it over. */
  readonly guarded: boolean
  /** Hears what became durable. */
  readonly outbox: Outbox
  /** Requests are told as they are written; `false` where they are shown one at a time. */
  readonly tellsRequests: boolean
  /** The last message of the run may be replaced before it is written. */
  readonly replaceable: boolean
}

export type Commit = {
  readonly calls?: readonly LiveCall[]
  readonly approvals?: readonly Approval[]
  readonly decisions?: readonly JournalEntry[]
  readonly run?: RunPatch
}

/**
 * The run's one pen: keeps the run's record and its conversation, and writes every change through one door, the
 * recorder and the journal. A tool message waits for the next commit; recovery rebuilds it from its calls.
 */
export class RunWriter {
  readonly #options: RunWriterOptions
  readonly #messages: Message[]
  #unsavedMessages: Message[] = []
  #savedCount: number
  #opening: readonly JournalEntry[]
  #run: RunRecord
  #untold: Message | null = null
  /** The claim that went with the last stop: it stands all the same where that stop could not be written. */
  #released: Lease | null = null

  constructor(options: RunWriterOptions) {
    this.#options = options
    this.#run = options.run
    this.#messages = [...options.messages]
    this.#savedCount = options.messages.length
    this.#opening = options.opening
  }

  get run(): RunRecord {
    return this.#run
  }

  /** The whole conversation, unsaved messages included. A copy. */
  get messages(): readonly Message[] {
    return this.#messages.slice()
  }

  /** Adds to the conversation; written with the next commit. */
  addMessage(message: Message): void {
    this.#messages.push(message)
    this.#unsavedMessages.push(message)
    if (this.#options.replaceable) this.#tellLater(message)
    else this.#options.outbox.push({ kind: 'message-added', message })
  }

  /** Puts a message in the place of the last one, if that is the assistant's and not written yet; else adds it. */
  replaceLast(message: Message): void {
    const last = this.#unsavedMessages.at(-1)
    if (last?.role !== 'assistant') return this.addMessage(message)
    this.#unsavedMessages.splice(-1, 1, message)
    this.#messages.splice(-1, 1, message)
    this.#untold = message
  }

  /** The last message may still be replaced: it is told when it is written or another one follows. */
  #tellLater(message: Message): void {
    this.#tellUntold()
    this.#untold = message
  }

  #tellUntold(): void {
    if (this.#untold === null) return
    this.#options.outbox.push({ kind: 'message-added', message: this.#untold })
    this.#untold = null
  }

  /** Adds what something outside this run's own turns used (an agent run as a tool); written with the next change. */
  charge(spent: { readonly usage: Usage; readonly usageKnown: boolean; readonly costUsd: number | null }): void {
    const { usage, usageKnown, costUsd } = this.#run
    this.#run = patchRun(this.#run, {
      usageKnown: usageKnown && spent.usageKnown,
      costUsd: addCost(costUsd, spent.costUsd),
      usage: {
        inputTokens: usage.inputTokens + spent.usage.inputTokens,
        outputTokens: usage.outputTokens + spent.usage.outputTokens,
      },
    })
  }

  /**
   * Writes everything that is new, all or nothing. Answers `unrecorded` when the recorder refused: what was written
   * as Executing must then not run; else nothing. Rejects when the journal cannot write or somebody else was first.
   */
  commit(commit: Commit): Promise<'unrecorded' | void> {
    return new Promise((resolve, reject) => {
      this.commitThen(commit, resolve, reject)
    })
  }

  /**
   * {@link commit} by callbacks, one of which is called once, at once where the journal writes at once; promises less for
   * the batch of every turn.
   */
  commitThen(commit: Commit, written: (verdict: 'unrecorded' | void) => void, fail: (error: unknown) => void): void {
    const { journal, recorder, outbox } = this.#options
    const { calls = none, approvals = none } = commit
    if (this.#untold !== null) this.#tellUntold()
    const failed = this.#opening.length === 0 ? fail : (error: unknown) => fail(this.#openingFault(error))
    const batch = this.#takeBatch(commit, calls, approvals)
    const writing = journal.append(batch)
    const steps = recorder === null ? none : stepsOf(batch)
    if (recorder !== null && steps.length > 0) {
      // Both in one tick, so that a recorder on the same store shares the commit.
      this.#recordBeside(startRecording(recorder, steps), writing, () => this.#tell(batch, approvals)).then(
        written,
        failed,
      )
      return
    }
    const told = (): void => {
      if (outbox.isHeard) this.#tell(batch, approvals)
      written()
    }
    if (writing === writtenNow) told()
    else writing.then(told, failed)
  }

  async #recordBeside(
    recording: Promise<'unrecorded' | void>,
    written: Promise<void>,
    tell: () => void,
  ): Promise<'unrecorded' | void> {
    await written
    const verdict = await this.#heard(recording)
    tell()
    return verdict
  }

  #tell(batch: readonly JournalEntry[], approvals: readonly Approval[]): void {
    const { outbox, tellsRequests } = this.#options
    for (const entry of batch) {
      const step = stepIn(entry)
      if (step !== null) outbox.push(step)
    }
    if (!tellsRequests) return
    for (const approval of approvals) {
      // What a rule approved is recorded, and asks nobody.
      if (approval.status === 'pending') outbox.push({ kind: 'approval-requested', approval })
    }
  }

  #takeBatch(commit: Commit, calls: readonly LiveCall[], approvals: readonly Approval[]): readonly JournalEntry[] {
    const { clock, worker } = this.#options
    const isOpening = this.#opening.length > 0
    const batch: JournalEntry[] = isOpening ? [...this.#opening] : []
    this.#opening = none
    if (this.#unsavedMessages.length > 0) {
      batch.push({
        kind: 'messages-added',
        sessionId: this.#run.sessionId,
        runId: this.#run.id,
        expectedCount: this.#savedCount,
        messages: this.#unsavedMessages,
        at: clock.now(),
      })
      this.#savedCount += this.#unsavedMessages.length
      this.#unsavedMessages = []
    }
    if (commit.run !== undefined) {
      const expectedStatus = this.#run.status
      this.#run = patchRun(this.#run, commit.run)
      batch.push({ kind: 'run-changed', expectedStatus, worker, run: this.#run })
      // A run that stopped belongs to nobody: the claim goes in the same transaction.
      if (this.#run.status !== 'running') this.#release(batch)
    }
    // A worker that was paused past its lease must not write into a run that goes on elsewhere.
    else if (!isOpening) this.#guard(batch)
    for (const call of calls) call.takeEntries(batch)
    for (const approval of approvals) batch.push({ kind: 'approval-requested', approval })
    if (commit.decisions !== undefined) batch.push(...commit.decisions)
    return batch
  }

  /** A recorder that does not answer before the run ends has not recorded. */
  async #heard(recording: Promise<'unrecorded' | void>): Promise<'unrecorded' | void> {
    const waited = await withinRun(recording, this.#options.patience())
    return waited.kind === 'done' ? waited.value : 'unrecorded'
  }

  /** The lease as this worker renewed it last. Kept here, because renewals are writes of the same run. */
  #release(batch: JournalEntry[]): void {
    const { lease } = this.#run
    if (lease === null) return
    batch.push({ kind: 'run-claimed', runId: this.#run.id, expectedLease: lease, lease: null })
    this.#released = lease
    this.#run = { ...this.#run, lease: null }
  }

  #guard(batch: JournalEntry[]): void {
    const { lease, id } = this.#run
    if (!this.#options.guarded || lease === null) return
    batch.push({ kind: 'run-claimed', runId: id, expectedLease: lease, lease })
  }

  /**
   * Writes that the run has begun, and with what, before anything of it leaves the process: from then on it can be seen,
   * resumed, and no other run of its conversation begins. Rejects with `RUN_BUSY` when another one was first.
   */
  async open(): Promise<void> {
    if (this.#opening.length > 0) await this.commit({})
  }

  /** The first commit of a run fails where another run of its conversation was first. */
  #openingFault(error: unknown): unknown {
    if (!(error instanceof JournalConflict)) return error
    const { sessionId } = this.#run
    return new FairleadError('RUN_BUSY', `Another run of conversation ${sessionId} was first. Wait for it.`, {
      cause: error,
    })
  }

  /** Extends this worker's claim. Rejects with a conflict when somebody else has taken the run over. */
  async renewLease(until: number): Promise<void> {
    const { lease, id } = this.#run
    if (lease === null || this.#run.status !== 'running') return
    const renewed = { worker: lease.worker, until }
    if (this.#opening.length > 0) {
      this.#run = { ...this.#run, lease: renewed }
      // Not written yet, so there is nothing to renew: it will begin with the later claim.
      this.#opening = this.#opening.map((entry) =>
        entry.kind === 'run-started' ? { ...entry, run: { ...entry.run, lease: renewed } } : entry,
      )
      return
    }
    // Noted before it is written, because a commit that follows at once is written after it.
    this.#run = { ...this.#run, lease: renewed }
    try {
      await this.#options.journal.append([{ kind: 'run-claimed', runId: id, expectedLease: lease, lease: renewed }])
    } catch (error) {
      if (this.#run.lease === renewed) this.#run = { ...this.#run, lease }
      throw error
    }
  }

  /** Gives up the claim of a run that failed here, so that it can be resumed. Never rejects: the lease runs out too. */
  async letGo(): Promise<void> {
    const { id } = this.#run
    const lease = this.#run.lease ?? this.#released
    if (lease === null) return
    const entry = { kind: 'run-claimed', runId: id, expectedLease: lease, lease: null } as const
    await this.#options.journal.append([entry]).catch(() => undefined)
  }
}

const none: readonly never[] = []

type CallMoved = Extract<RunUpdate, { kind: 'call-moved' }>

/** What a written entry tells of a call, recorded and streamed alike. */
function stepIn(entry: JournalEntry): CallMoved | null {
  switch (entry.kind) {
    case 'call-opened':
      return { kind: 'call-moved', call: entry.call, transitions: entry.call.transitions }
    case 'call-moved': {
      const { call, newTransitions } = entry
      return { kind: 'call-moved', call, transitions: call.transitions.slice(-newTransitions) }
    }
    default:
      return null
  }
}

function stepsOf(batch: readonly JournalEntry[]): readonly RecordedStep[] {
  return batch.flatMap((entry) => {
    const step = stepIn(entry)
    return step === null ? [] : [{ call: step.call, transitions: step.transitions }]
  })
}

async function startRecording(recorder: Recorder, steps: readonly RecordedStep[]): Promise<'unrecorded' | void> {
  try {
    await recorder.record(steps)
    return undefined
  } catch {
    return 'unrecorded'
  }
}
