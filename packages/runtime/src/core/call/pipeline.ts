import { CallPassage } from '../middleware/call-passage.ts'
import type { Outcome } from './answer-call.ts'
import type { Approval } from '../approval/approval.ts'
import { isDeclarationOnly } from '../tool/tool.ts'
import { ask, authoriseCall, claimCall, type Consent } from './authorise-call.ts'
import type { LiveCall } from './live-call.ts'
import { lookUpCall, type Proposal } from './look-up-call.ts'
import { isThenable } from './maybe-promise.ts'
import { failUnexpected, performCall } from './perform-call.ts'
import { reconcileCall } from './reconcile-call.ts'
import type { RunScope } from './run-scope.ts'
import { answered, answerWith, patienceOf, reject } from './stage.ts'
import type { Opened, StagePorts } from './stage-ports.ts'
import { validateCall } from './validate-call.ts'
import { withinRun } from './within-run.ts'

/**
 * The one way in. Every call of every origin walks these stages, and nothing else runs a tool's `execute`:
 *
 *   proposal ─► lookup ─► validate ─► policy ─► approval ─► middleware ─► execute ─► normalise ─► observe ─► answer
 *   └───────────────── open ────────────────┘  └─ claim ─┘ └ passage ─┘ └──────────── perform ───────────────┘
 *
 * `open`, `claim` and the passage only decide; the caller journals what they decided before `perform` lets anything
 * happen.
 */
export class Pipeline {
  readonly ports: StagePorts
  readonly scope: RunScope

  constructor(ports: StagePorts, scope: RunScope) {
    this.ports = ports
    this.scope = scope
  }

  /** Lookup, validation and policy of a new proposal. Nothing is written and nothing runs. */
  open(proposal: Proposal): readonly [LiveCall, Opened | Promise<Opened>] {
    const call = lookUpCall(proposal, this.scope, this.#now())
    return [call, validateCall(call, this)]
  }

  /** Takes up a stored call that was never judged (the process died in between): validates and judges it anew. */
  reopen(call: LiveCall): Opened | Promise<Opened> {
    return call.state === 'Requested' ? validateCall(call, this) : authoriseCall(call, this)
  }

  /** The last decision before a call that waited may run. `ready` means it may start now. */
  claim(call: LiveCall, consent: Consent | null): Opened | Promise<Opened> {
    return claimCall(call, consent, this)
  }

  /** The verdict on a call, as long as the run goes on; then the call is cancelled, whatever a guard says later. */
  async decided(call: LiveCall, verdict: Opened | PromiseLike<Opened>): Promise<Opened> {
    if (!isThenable(verdict)) return verdict
    const waited = await withinRun(verdict, patienceOf(this))
    switch (waited.kind) {
      case 'done':
        return waited.value
      case 'failed':
        return call.isAnswered ? answered : reject(call, { kind: 'error' }, this)
      case 'aborted':
        await this.cancel(call, 'The run was aborted before the call was decided.')
        return answered
      case 'late':
        await this.cancel(call, 'The time of the run was over before the call was decided.')
        return answered
      default:
        return waited satisfies never
    }
  }

  /** Counts a call against its tool's limits, of its life and of this run. Says what is over, or `null`. */
  admit(call: LiveCall): string | null {
    const { tool } = call
    if (tool === null) return null
    const { counters, behaviour, contract } = tool
    const over = this.scope.countersOf(tool).admit(behaviour.perRun)
    if (over !== 'admitted') return `Tool "${contract.name}" has reached ${over} for this run.`
    const overLife = counters.admit(behaviour.lifetime)
    return overLife === 'admitted' ? null : `Tool "${contract.name}" has reached ${overLife}.`
  }

  /** Takes back {@link admit} for a call that did not start: it was short-circuited, refused, or waits for a person. */
  release({ tool }: LiveCall): void {
    if (tool === null || isDeclarationOnly(tool)) return
    this.scope.countersOf(tool).release()
    tool.counters.release()
  }

  /** The intent: once this is journalled, the call may run. */
  start(call: LiveCall): void {
    const attempts = call.record.attempts + 1
    call.move('Executing', this.#now(), { attempt: attempts }, { attempts })
  }

  /**
   * Runs a call that was journalled as Executing, and settles it. Never throws: every failure is an outcome. Calls
   * `done` once when it is settled, perhaps before it returns.
   */
  perform(call: LiveCall, done: () => void): void {
    performCall(call, this, done)
  }

  /** The way of a call through function middleware, or `null` where there is none. Nothing has run yet. */
  passageOf(call: LiveCall): CallPassage | null {
    const { tool } = call
    return tool === null || this.scope.chains.function.length === 0 ? null : new CallPassage(call, tool, this)
  }

  /** The host's result of its own call, through what is left of the call's middleware. Calls `done` once, later or now. */
  passHostResult(call: LiveCall, passage: CallPassage | null, done: () => void): void {
    if (passage !== null) return passage.take(call.hostOutcome, done)
    const { hostOutcome: outcome, record } = call
    if (outcome === null) return done()
    const answering = answerWith(call, { kind: 'passed', outcome, latencyMs: record.latencyMs ?? 0, by: null }, this)
    if (isThenable(answering)) answering.then(done, done)
    else done()
  }

  /** Shows a call that needs nobody beside one that does, so that a host without a conversation loses nothing. */
  askAlong(call: LiveCall): Approval | null {
    const { tool } = call
    const args = call.record.arguments
    if (tool === null || args === null || call.state !== 'PolicyChecked' || isDeclarationOnly(tool)) return null
    return ask(call, { tool, args, askedBy: 'batch', reason: null }, this).approval
  }

  /** A call the host answers itself. */
  awaitClient(call: LiveCall): void {
    call.move('AwaitingClient', this.#now())
  }

  /** A call whose process died while it ran and whose class allows another attempt: `PROCESS_LOST`, then again. */
  takeUpLost(call: LiveCall): Opened {
    call.move('Failed', this.#now(), { errorCode: 'PROCESS_LOST' })
    call.move('Retried', this.#now(), { because: 'the process was lost and the class of the tool allows it' })
    return { kind: 'ready' }
  }

  /** Asks the remote about a lost call of a queryable tool. */
  reconcile(call: LiveCall): Promise<Opened | 'in-doubt'> {
    return reconcileCall(call, this)
  }

  /** Settles a call that will not run: a person refused, nobody answered, the run was aborted. */
  settle(call: LiveCall, outcome: Outcome): Opened | Promise<Opened> {
    return answerWith(call, outcome, this)
  }

  /** Answers a proposal that must not even be looked at, for example of a turn that was cut off. */
  async refuse(proposal: Proposal, because: string): Promise<LiveCall> {
    const call = lookUpCall(proposal, this.scope, this.#now())
    await this.cancel(call, because)
    return call
  }

  /** Cancels a call that has not started. */
  async cancel(call: LiveCall, because: string): Promise<void> {
    call.move('Cancelled', this.#now(), { because })
    await answerWith(call, { kind: 'cancelled', because }, this)
  }

  /** Answers a call that is over a limit. */
  async rejectOverBudget(call: LiveCall, because: string): Promise<void> {
    call.move('Rejected', this.#now(), { because })
    await answerWith(call, { kind: 'over-budget', because }, this)
  }

  /** A call whose intent could not be recorded: it fails without having run. */
  async failUnrecorded(call: LiveCall): Promise<void> {
    call.move('Failed', this.#now(), { errorCode: 'POLICY_ERROR', executed: false })
    await answerWith(call, { kind: 'unrecorded' }, this)
  }

  /** A call whose settling failed in a way nobody foresaw: it still gets its one answer. */
  failUnexpected(call: LiveCall): void {
    failUnexpected(call, this)
  }

  #now(): number {
    return this.ports.clock.now()
  }
}
