import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { isDeclarationOnly } from '../tool/tool.ts'
import { BatchMiddleware, type HearsOfEntries } from './batch-middleware.ts'
import { sternerOf, waitOf, type BatchWait } from './batch-wait.ts'
import { endCalls } from './end-calls.ts'
import type { LoopSetup } from './loop-setup.ts'
import { addCost } from './run-budget.ts'
import type { RunPatch } from './run-patch.ts'
import { stopPatch } from './stop-run.ts'

/** A classified batch: all its calls, those of them that may go on, and what its turn adds to the run's record. */
export type Batch = {
  readonly calls: readonly LiveCall[]
  readonly ready: readonly LiveCall[]
  readonly patch: RunPatch
  /** Requests that rules granted; written with the first commit. */
  readonly granted: readonly Approval[]
  /** Others of the turn still wait for a person while these go on. */
  readonly isPending: boolean
}

/**
 * Takes the ready calls of a batch through their middleware, starts them and writes as they go: the intents before
 * anything runs, outcomes as they come; whatever settles or starts while a commit is under way shares the next one.
 * Without a cap all start together. One slow or failing call never holds or harms a sibling for long: middleware that
 * asks a person within 100 ms holds the whole batch, later only its own call. Resolves with what `finish` makes of it
 * once every outcome is written; rejects when the journal cannot write.
 */
export function performBatch<T>(setup: LoopSetup, batch: Batch, finish: (wait: BatchWait) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    new BatchProgress(setup, batch, (wait) => resolve(finish(wait)), reject).begin()
  })
}

const none: readonly LiveCall[] = []
const noApprovals: readonly Approval[] = []
const nothing = (): void => undefined
const aTickLater = Promise.resolve()

/**
 * What of a batch is in its middleware, what waits for its start, what runs, and what has settled and is not written
 * yet. By callbacks, because promises are what a call costs most: `#stepOnce` is the one place that says what happens next.
 */
class BatchProgress implements HearsOfEntries {
  readonly #setup: LoopSetup
  readonly #batch: Batch
  readonly #done: (wait: BatchWait) => void
  readonly #fail: (error: unknown) => void
  /** `null` where there is none: most batches have no middleware. */
  #middleware: BatchMiddleware | null = null
  #stopListening: () => void = nothing
  #waiting: LiveCall[] = []
  #settled: LiveCall[] = []
  #asked: Approval[] = []
  /** Requests to be written that hold nothing. */
  #granted: Approval[]
  #wait: BatchWait = null
  #running = 0
  /** The first commit takes all calls of the batch and the patch of its turn. */
  #begun = false
  /** A commit is under way, or calls are being started: what settles meanwhile shares the next commit. */
  #busy = true
  #stepsSoon = false
  #isStepping = false
  #stepsAgain = false

  constructor(setup: LoopSetup, batch: Batch, done: (wait: BatchWait) => void, fail: (error: unknown) => void) {
    this.#setup = setup
    this.#batch = batch
    this.#granted = [...batch.granted]
    if (batch.isPending) this.#wait = 'approval_required'
    this.#done = done
    this.#fail = fail
  }

  begin(): void {
    const { pipeline, limits } = this.#setup
    const { ready } = this.#batch
    const { fan, chains } = pipeline.scope
    if (chains.function.length > 0 && !fan.aborted) this.#enterAll(ready)
    else this.#waiting = ready.slice()
    // Calls that run have ears of their own; those that wait for their start are cancelled here.
    const anyWaits = this.#entering > 0 || (limits.concurrency !== null && ready.length > limits.concurrency)
    if (anyWaits || this.#middleware !== null) this.#stopListening = fan.listen(() => this.#abort())
    this.#busy = false
    this.#step()
  }

  /** What waits for its start is cancelled; a call on its way out of its middleware is answered as it stands. */
  #abort(): void {
    this.#middleware?.abort()
    this.#stepSoon()
  }

  /** Does all that can be done now. What is written at once leads to the next step here, not deeper. */
  #step(): void {
    this.#stepsAgain = true
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      while (this.#stepsAgain) {
        this.#stepsAgain = false
        this.#stepOnce()
      }
    } finally {
      this.#isStepping = false
    }
  }

  #stepOnce(): void {
    if (this.#busy) return
    const { scope } = this.#setup.pipeline
    const isAnyHeld = this.#middleware?.isAnyHeld === true
    const isStopping = this.#waiting.length > 0 || this.#asked.length > 0 || isAnyHeld
    if (scope.fan.aborted && isStopping) return this.#cancelWaiting()
    const standing = this.#middleware?.classify()
    if (standing === 'holding') return
    if (standing === 'classified' && this.#asked.length > 0 && !this.#isEnded) return this.#hold()
    const starting = this.#startWaiting()
    if (!this.#begun || starting.length > 0 || this.#settled.length > 0) return this.#write(starting)
    if (this.#running > 0 || this.#entering > 0) return
    if (this.#wait === null) return this.#end()
    if (this.#isEnded) return this.#endWaiting()
    // The calls are written; what is left is that the run waits.
    const run = stopPatch(this.#setup, this.#wait)
    this.#busy = true
    this.#setup.writer.commitThen({ run }, () => this.#guarded(() => this.#end()), this.#giveUp)
  }

  /** Somebody asked for the end of the run: it waits for nobody, except where an effect is in doubt. */
  get #isEnded(): boolean {
    return this.#setup.ending.terminatedBy !== null && this.#wait !== 'in_doubt'
  }

  /** The calls that wait for somebody get their answers. */
  #endWaiting(): void {
    this.#busy = true
    this.#wait = null
    endCalls(this.#setup, this.#batch.calls, 'The run was ended.').then(
      () => this.#guarded(() => this.#end()),
      this.#giveUp,
    )
  }

  #end(): void {
    this.#busy = true
    if (this.#middleware !== null) this.#releaseUnstarted()
    this.#stopListening()
    this.#done(this.#wait)
  }

  /** What was counted against its tool's limits and has not started did not use them. */
  #releaseUnstarted(): void {
    for (const call of this.#batch.ready) {
      if (!call.isAdmitted) continue
      call.isAdmitted = false
      this.#setup.pipeline.release(call)
    }
  }

  /** Calls that settle in one tick share one commit. */
  readonly #stepSoon = (): void => {
    if (this.#stepsSoon) return
    this.#stepsSoon = true
    aTickLater.then(() => {
      this.#stepsSoon = false
      this.#guarded(() => this.#step())
    }, nothing)
  }

  /** Every call goes into its middleware; the batch is classified once all have come out of the part before `next`. */
  #enterAll(calls: readonly LiveCall[]): void {
    const middleware = new BatchMiddleware(this.#setup, this)
    this.#middleware = middleware
    this.#waiting.push(...middleware.enter(calls))
    if (middleware.entering > 0 || this.#asked.length > 0) middleware.hold()
  }

  mayStart(call: LiveCall): void {
    this.#waiting.push(call)
  }

  holdsOff(call: LiveCall, asked: Approval | null): void {
    this.#settled.push(call)
    if (asked !== null) this.#asked.push(asked)
  }

  isGranted(approval: Approval): void {
    this.#granted.push(approval)
  }

  look(): void {
    if (!this.#busy) this.#stepSoon()
  }

  fail(error: unknown): void {
    this.#giveUp(error)
  }

  get #entering(): number {
    return this.#middleware === null ? 0 : this.#middleware.entering
  }

  /** One call asks a person before anything of the batch has run: nothing of it runs now. */
  #hold(): void {
    const { pipeline, writer } = this.#setup
    const held = [...this.#waiting, ...this.#leaveMiddleware('Another call of the same turn waits for a person.')]
    this.#waiting = []
    if (writer.run.showsWholeBatch) {
      for (const call of held) {
        const approval = pipeline.askAlong(call)
        if (approval !== null) this.#asked.push(approval)
      }
    }
    this.#write(none)
  }

  /** Moves what may start now to Executing: all that waits, or as many as the cap leaves room for. */
  #startWaiting(): readonly LiveCall[] {
    const { pipeline, limits } = this.#setup
    if (this.#waiting.length === 0) return none
    const cap = limits.concurrency
    const next = cap === null ? this.#waiting : this.#waiting.slice(0, Math.max(0, cap - this.#running))
    this.#waiting = cap === null ? [] : this.#waiting.slice(next.length)
    let starting = next
    if (next.some(isClientCall)) {
      for (const call of next) if (isClientCall(call)) this.#handOver(call)
      starting = next.filter((call) => !isClientCall(call))
    }
    for (const call of starting) {
      call.isAdmitted = false
      pipeline.start(call)
    }
    return starting
  }

  /** The host answers this one: it waits, and its siblings run; where it has, its result goes on its way. */
  #handOver(call: LiveCall): void {
    if (call.hostOutcome !== null) {
      this.#running++
      // It may settle at once: then it shares the commit that follows.
      this.#busy = true
      this.#setup.pipeline.passHostResult(call, this.#middleware?.passageOf(call) ?? null, () => this.#settle(call))
      this.#busy = false
      return
    }
    this.#middleware?.passageOf(call)?.stop('The host answers this call.')
    this.#middleware?.forget(call)
    this.#setup.pipeline.awaitClient(call)
    this.#settled.push(call)
    this.#wait = sternerOf(this.#wait, 'client_tool_required')
  }

  /** Writes what is new, then runs what was written as starting; what could not be recorded fails without having run. */
  #write(starting: readonly LiveCall[]): void {
    this.#busy = true
    const { writer } = this.#setup
    const settled = this.#settled
    this.#settled = []
    if (this.#asked.length > 0) this.#wait = sternerOf(this.#wait, 'approval_required')
    const approvals = this.#takeApprovals()
    const isFirst = !this.#begun
    this.#begun = true
    const isLast = starting.length === 0 && this.#waiting.length === 0 && this.#running === 0 && this.#entering === 0
    const run: RunPatch | undefined = isFirst ? this.#batch.patch : starting.length > 0 ? {} : undefined
    if (run !== undefined) countStarted(run, writer.run, starting)
    const stop = isLast && this.#wait !== null && !this.#isEnded ? stopPatch(this.#setup, this.#wait) : undefined
    const patch = stop === undefined ? run : run === undefined ? stop : Object.assign(run, stop)
    const calls = isFirst ? this.#batch.calls : starting.length === 0 ? settled : [...settled, ...starting]
    writer.commitThen(
      patch === undefined ? { calls, approvals } : { calls, approvals, run: patch },
      (verdict) =>
        this.#guarded(() => {
          if (stop !== undefined) return this.#end()
          this.#perform(starting, verdict)
          this.#busy = false
          this.#step()
        }),
      this.#giveUp,
    )
  }

  #takeApprovals(): readonly Approval[] {
    if (this.#asked.length === 0 && this.#granted.length === 0) return noApprovals
    const approvals = [...this.#granted, ...this.#asked]
    this.#granted = []
    this.#asked = []
    return approvals
  }

  #perform(starting: readonly LiveCall[], verdict: 'unrecorded' | void): void {
    const { pipeline } = this.#setup
    this.#running += starting.length
    for (const call of starting) {
      const settle = (): void => {
        pipeline.failUnexpected(call)
        this.#settle(call)
      }
      const passage = this.#middleware?.passageOf(call) ?? null
      // Of an aborted run nothing starts anyway, recorded or not, and the abort is the reason.
      if (verdict === 'unrecorded' && !pipeline.scope.fan.aborted) {
        passage?.stop('The call could not be recorded, so it did not run.')
        pipeline.failUnrecorded(call).then(settle, settle)
      } else if (passage !== null) passage.perform(settle)
      else pipeline.perform(call, settle)
    }
  }

  #settle(call: LiveCall): void {
    this.#settled.push(call)
    this.#wait = sternerOf(this.#wait, waitOf(call))
    this.#middleware?.forget(call)
    this.#running--
    if (this.#busy) return
    // The last one has nobody to wait for.
    if (this.#running === 0) this.#guarded(() => this.#step())
    else this.#stepSoon()
  }

  /** Cancels the calls an aborted run will not start; none is left. */
  #cancelWaiting(): void {
    this.#busy = true
    const left = [...this.#waiting, ...this.#leaveMiddleware('The run was aborted before the call started.')]
    const asked = this.#asked.length === 0 ? none : this.#settled.filter(({ state }) => state === 'NeedsApproval')
    this.#waiting = []
    this.#asked = []
    cancelAll(this.#setup, [...left, ...asked]).then(
      () =>
        this.#guarded(() => {
          this.#settled.push(...left)
          this.#busy = false
          this.#step()
        }),
      this.#giveUp,
    )
  }

  /** Takes every call out of its middleware that has not started; gives back those that were on their way in. */
  #leaveMiddleware(why: string): readonly LiveCall[] {
    return this.#middleware?.leave(why, (call) => this.#waiting.includes(call)) ?? none
  }

  #guarded(body: () => void): void {
    try {
      body()
    } catch (error) {
      this.#giveUp(error)
    }
  }

  /** Nothing more is written or started. */
  readonly #giveUp = (error: unknown): void => {
    this.#busy = true
    this.#stopListening()
    this.#leaveMiddleware('The run failed.')
    this.#fail(error)
  }
}

function isClientCall(call: LiveCall): boolean {
  return call.tool !== null && isDeclarationOnly(call.tool)
}

async function cancelAll({ pipeline }: LoopSetup, calls: readonly LiveCall[]): Promise<void> {
  const because = 'The run was aborted before the call started.'
  // All of them move at once: while one is being answered, a late verdict must not move another.
  await Promise.all(
    calls.map(async (call) => {
      if (call.hostOutcome === null) await pipeline.cancel(call, because)
      else await pipeline.settle(call, { kind: 'cancelled', because })
    }),
  )
}

/** Counts what starts now into the patch of the run's record. */
function countStarted(patch: RunPatch, run: RunRecord, starting: readonly LiveCall[]): void {
  // A call that goes on where it stood was counted when it began.
  const begun = starting.filter((call) => call.record.attempts === 1)
  if (begun.length === 0) return
  let cost = 0
  for (const call of begun) cost += call.tool?.contract.costUsd ?? 0
  patch.calls = run.calls + begun.length
  if (cost !== 0) patch.costUsd = addCost(patch.costUsd === undefined ? run.costUsd : patch.costUsd, cost)
}
