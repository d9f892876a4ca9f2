import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { Arrival, CallPassage } from '../middleware/call-passage.ts'
import { grantOrCancel } from './grant-approvals.ts'
import type { LoopSetup } from './loop-setup.ts'

/** How long the calls of a batch wait for each other's middleware before those that may start do, in milliseconds. */
const classifyMs = 100

/** Who is told what came of the calls on their way into the execution. */
export interface HearsOfEntries {
  /** The part before `next` is through. */
  mayStart(call: LiveCall): void
  /** Nothing of the call runs now: it has its answer, or waits for what is asked of a person. */
  holdsOff(call: LiveCall, asked: Approval | null): void
  /** A rule answered in a person's place. */
  isGranted(approval: Approval): void
  /** Something has come, or the time to wait for each other is over. */
  look(): void
  fail(error: unknown): void
}

/**
 * The calls of a batch in their middleware: on their way in until each has come out of the part before `next`, then until
 * they have settled. They wait for each other for {@link classifyMs}, so that one that asks a person holds them all.
 */
export class BatchMiddleware {
  readonly #setup: LoopSetup
  readonly #hearer: HearsOfEntries
  readonly #passages = new Map<LiveCall, CallPassage>()
  #entering = 0
  #holding: AbortController | null = null
  #isTimeUp = false

  constructor(setup: LoopSetup, hearer: HearsOfEntries) {
    this.#setup = setup
    this.#hearer = hearer
  }

  /** How many are on their way in. */
  get entering(): number {
    return this.#entering
  }

  /** Every call goes in; gives back those without middleware. Who asks at once is told at once. */
  enter(calls: readonly LiveCall[]): readonly LiveCall[] {
    const { pipeline } = this.#setup
    const direct: LiveCall[] = []
    for (const call of calls) {
      const passage = pipeline.passageOf(call)
      if (passage === null) {
        direct.push(call)
        continue
      }
      this.#passages.set(call, passage)
      call.isAdmitted = true
      this.#entering++
    }
    for (const [call, passage] of this.#passages) {
      passage.enter((arrival) => this.#arrived(call, arrival))
    }
    return direct
  }

  /** From now on nothing starts until all are in or have waited long enough. */
  hold(): void {
    const holding = new AbortController()
    this.#holding = holding
    this.#setup.pipeline.ports.clock.sleep(classifyMs, holding.signal).then(
      () => {
        if (this.#holding !== holding) return
        this.#isTimeUp = true
        this.#hearer.look()
      },
      () => undefined,
    )
  }

  /** `holding`: nothing may start yet. `classified`: it has just become known what may. */
  classify(): 'holding' | 'classified' | 'free' {
    if (this.#holding === null) return 'free'
    if (this.#entering > 0 && !this.#isTimeUp) return 'holding'
    this.#letGo()
    return 'classified'
  }

  passageOf(call: LiveCall): CallPassage | null {
    return this.#passages.get(call) ?? null
  }

  /** The call has settled. */
  forget(call: LiveCall): void {
    this.#passages.delete(call)
  }

  /** True while a call could still be taken out. */
  get isAnyHeld(): boolean {
    if (this.#passages.size === 0) return false
    return [...this.#passages.values()].some((passage) => passage.mayStop)
  }

  /**
   * Takes every call out that has not started; gives back those that were on their way in. A call whose refusal is just
   * being worded stays until it has arrived.
   */
  leave(why: string, isIn: (call: LiveCall) => boolean): readonly LiveCall[] {
    const left: LiveCall[] = []
    for (const [call, passage] of this.#passages) {
      if (!passage.mayStop) continue
      passage.stop(why)
      this.#passages.delete(call)
      if (isIn(call)) continue
      this.#entering--
      left.push(call)
    }
    this.#letGo()
    return left
  }

  /** The run was aborted: a call on its way out is answered as it stands. */
  abort(): void {
    for (const passage of this.#passages.values()) passage.abort()
  }

  #letGo(): void {
    this.#holding?.abort()
    this.#holding = null
  }

  #arrived(call: LiveCall, arrival: Arrival): void {
    this.#guarded(() => {
      if (!this.#passages.has(call)) return
      // Rules are asked before a person is; until they have answered the call counts as on its way.
      if (arrival.kind === 'ask') return this.#consult(call, arrival.approval)
      this.#entering--
      if (arrival.kind === 'start') this.#hearer.mayStart(call)
      else this.#holdOff(call, null)
      this.#hearer.look()
    })
  }

  #holdOff(call: LiveCall, asked: Approval | null): void {
    this.#passages.delete(call)
    this.#hearer.holdsOff(call, asked)
  }

  /** Middleware asks: where a rule approves, the call goes through its middleware again with that consent. */
  #consult(call: LiveCall, approval: Approval): void {
    grantOrCancel(this.#setup, call, approval).then(
      (granted) =>
        this.#guarded(() => {
          if (!this.#passages.has(call)) return
          if (granted === 'cancelled') return this.#arrived(call, { kind: 'answered' })
          if (granted === null) {
            this.#entering--
            this.#holdOff(call, approval)
            return this.#hearer.look()
          }
          this.#hearer.isGranted(granted)
          const { pipeline } = this.#setup
          const again = pipeline.scope.fan.aborted ? null : pipeline.passageOf(call)
          if (again === null) {
            this.#entering--
            this.#passages.delete(call)
            this.#hearer.mayStart(call)
            return this.#hearer.look()
          }
          this.#passages.set(call, again)
          again.enter((arrival) => this.#arrived(call, arrival))
        }),
      (error: unknown) => this.#hearer.fail(error),
    )
  }

  #guarded(body: () => void): void {
    try {
      body()
    } catch (error) {
      this.#hearer.fail(error)
    }
  }
}
