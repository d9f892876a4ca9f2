import type { Approval } from '../approval/approval.ts'
import { answerCall, recordExecution, type Outcome } from '../call/answer-call.ts'
import { ask, authoriseCall, digestOf, hasConsent } from '../call/authorise-call.ts'
import { codeFrom, type ErrorCode } from '../call/error-code.ts'
import type { LiveCall } from '../call/live-call.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { ExecutionOutcome } from '../call/execution-outcome.ts'
import { parseArguments } from '../call/parse-arguments.ts'
import { executeCall } from '../call/perform-call.ts'
import { thrownText } from '../call/thrown.ts'
import { reject, type Rejection, type Stage } from '../call/stage.ts'
import { Suspension } from '../call/suspension.ts'
import { FairleadError } from '../fairlead-error.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import type { JsonObject } from '../json/json.ts'
import type { Tool } from '../tool/tool.ts'
import { CallContext, type ActedOn } from './call-context.ts'
import { callResultFrom, madeResult, notCarriedOut, withheldResult, type CallResult } from './call-result.ts'
import { CallStopped } from './call-stopped.ts'
import { GuardFailure } from './guard-failure.ts'
import type { FunctionMiddlewareStep } from './middleware-step.ts'
import type { Clock } from '../ports/clock.ts'
import { runStep, type Chain, type Done, type StepEnd } from './run-step.ts'

/** Where a call stands once the part of its middleware before `next` is through. */
export type Arrival =
  | { readonly kind: 'start' }
  | { readonly kind: 'answered' }
  | { readonly kind: 'ask'; readonly approval: Approval }

const start: Arrival = { kind: 'start' }
const answered: Arrival = { kind: 'answered' }
const nothing = (): void => undefined
const noneRequired: readonly never[] = []

/**
 * One call's way through function middleware. `enter` runs everything before the execution and tells where the call
 * arrived; only a call that arrived at `start`, and whose intent was journalled since, may be performed. Whatever the
 * middleware does, the call gets one answer.
 */
export class CallPassage implements Chain<CallContext>, ActedOn {
  readonly call: LiveCall
  readonly tool: Tool
  readonly #stage: Stage
  readonly #steps: readonly FunctionMiddlewareStep[]
  #where: 'before' | 'arrived' | 'inside' | 'after' | 'over' = 'before'
  #arrive: (arrival: Arrival) => void = nothing
  #done: () => void = nothing
  #goOn: Done = nothing
  #stopped: CallStopped | null = null
  #replacing: Promise<void> | null = null
  /** What a piece set, or the tool's own once a piece has looked at it. */
  #result: CallResult | undefined
  /** The result is still what the execution gave. */
  #isOwn = false
  /** The piece that set the result, or `null` for the tool's own. */
  #by: string | null = null
  /** The piece that failed before the execution, without being a guard. */
  #failed: string | null = null
  #withheld = false
  /** Who asked for the end of the run before the execution: the call is not carried out. */
  #isEnding = false
  /** What pieces required a person for: it is required of other arguments too. */
  #required: readonly { readonly by: string; readonly reason: string }[] = noneRequired
  #outcome: ExecutionOutcome | null = null
  #latencyMs = 0
  /** The innermost piece that was reached: the one that did not go on. */
  #deepest = 0
  #deadline: AbortController | null = null

  constructor(call: LiveCall, tool: Tool, stage: Stage) {
    this.call = call
    this.tool = tool
    this.#stage = stage
    this.#steps = stage.scope.chains.function
  }

  get args(): JsonObject {
    return this.call.record.arguments ?? {}
  }

  get result(): CallResult | undefined {
    if (this.#isOwn && this.#outcome !== null) this.#result ??= madeResult(this.#outcome)
    return this.#result
  }

  /** True before the execution: the call can still be taken out. One that policy just refused or asks about arrives. */
  get mayStop(): boolean {
    if (this.#where === 'arrived') return true
    if (this.#where !== 'before' || this.call.isAnswered) return false
    return this.call.state !== 'NeedsApproval' && this.call.state !== 'Rejected'
  }

  /** Runs the chain up to the execution. `arrive` is called once, unless the passage is stopped first. */
  enter(arrive: (arrival: Arrival) => void): void {
    this.#arrive = arrive
    const remainingMs = this.#stage.scope.remainingMs()
    if (remainingMs !== null) this.#endWithin(remainingMs)
    this.#run(0, () => this.#leave())
  }

  /** Carries the call out, then the rest of the chain; calls `done` once when the call has its answer. */
  perform(done: () => void): void {
    this.#where = 'inside'
    this.#done = done
    executeCall(this.call, this.#stage, (outcome, latencyMs) => {
      if (!(outcome instanceof Suspension)) return this.#executed(outcome, latencyMs)
      // The call waits for an agent inside it: the whole chain is run again when it goes on.
      const stopped = this.#halt('An agent inside the call waits for a person.')
      this.#goOn(stopped)
      done()
    })
  }

  /** In the place of {@link perform}: the host carried the call out, and that is recorded. */
  take(outcome: ExecutionOutcome | null, done: () => void): void {
    if (outcome === null) return done()
    this.#where = 'inside'
    this.#done = done
    this.#passOn(outcome, this.call.record.latencyMs ?? 0)
  }

  /** The call goes no further now: its batch waits for a person, or its run was aborted. Nothing is answered here. */
  stop(why: string): void {
    if (!this.mayStop) return
    this.#halt(why)
    this.#goOn(this.#stopped ?? new CallStopped(why))
  }

  /** No middleware outlasts its run. */
  #endWithin(ms: number): void {
    const timer = new AbortController()
    this.#deadline = timer
    this.#stage.ports.clock.sleep(ms, timer.signal).then(
      () => {
        if (this.#where === 'after') return this.#answerAborted()
        if (this.#where !== 'before' || !this.mayStop) return
        const because = 'The time of the run was over before the call started.'
        this.#halt(because)
        if (!this.#isOfHost) this.call.move('Cancelled', this.#stage.ports.clock.now(), { because })
        this.#settle(answerCall(this.call, { kind: 'cancelled', because }, this.#stage), () => this.#arrive(answered))
      },
      () => undefined,
    )
  }

  #run(index: number, done: Done): void {
    const step = this.#steps[index]
    if (step === undefined) return this.#arriveAtStart(done)
    this.#deepest = index
    runStep<CallContext>(this, { index, step, context: new CallContext(this, step, this.#stage.scope) }, done)
  }

  get timers(): Set<AbortController> {
    return this.#stage.scope.timers
  }

  get clock(): Clock {
    return this.#stage.ports.clock
  }

  goOn(index: number, done: Done): void {
    if (this.#stopped !== null) return done(this.#stopped)
    if (this.#isEnding) return done(new CallStopped('The run is being ended, so the call is not carried out.'))
    if (this.#replacing === null) this.#run(index + 1, done)
    else this.#replacing.then(() => this.#run(index + 1, done), done)
  }

  #arriveAtStart(done: Done): void {
    this.#goOn = done
    this.#where = 'arrived'
    this.#arrive(start)
  }

  /** What a piece's end means for the call; an error is what the pieces around it hear. */
  judge(index: number, end: StepEnd, context: CallContext): Error | null {
    context.close()
    const step = this.#steps[index]
    if (step === undefined) return null
    if (this.#stopped !== null) return this.#stopped
    const error = end.kind === 'failed' ? end.error : null
    const isGuard = step.guard || error instanceof GuardFailure
    switch (this.#where) {
      case 'before': {
        if (this.#isEnding && (error === null || error instanceof CallStopped)) return null
        const isSilent = step.guard && !end.wentOn && this.#result === undefined
        if (isSilent || (isGuard && error !== null)) {
          if (error !== null) this.#warn(step.name, error)
          // The host has carried the call out: that is after the execution.
          if (this.#isOfHost) this.#stage.scope.terminate(step.name)
          return this.#refuse(step.name, { kind: 'error' })
        }
        if (error === null) return null
        this.#warn(step.name, error)
        this.#failed = step.name
        this.#take(undefined, null)
        return null
      }
      case 'after':
        if (error === null) return null
        this.#warn(step.name, error)
        if (isGuard) {
          this.#withheld = true
          this.#stage.scope.terminate(step.name)
          return new GuardFailure(`Guard "${step.name}" failed after the call was carried out; its result is withheld.`)
        }
        this.#take(withheldResult, step.name)
        return null
      case 'arrived':
      case 'inside':
      case 'over':
        // Nobody waits for this piece any more.
        return null
      default:
        return this.#where satisfies never
    }
  }

  /** The chain is through. */
  #leave(): void {
    if (this.#where === 'after') return this.#answer()
    if (this.#where !== 'before' || this.#stopped !== null) return
    if (this.#by !== null || this.#failed === null) return this.#answerWithoutRunning()
    this.#refuse(this.#failed, {
      kind: 'refused',
      errorCode: 'INTERNAL',
      because: 'A step before the tool failed, so the tool did not run.',
    })
  }

  #executed(outcome: ExecutionOutcome, latencyMs: number): void {
    recordExecution(this.call, outcome, latencyMs, this.#stage.ports)
    this.#passOn(outcome, latencyMs)
  }

  #passOn(outcome: ExecutionOutcome, latencyMs: number): void {
    this.#outcome = outcome
    this.#latencyMs = latencyMs
    this.#take(undefined, null)
    this.#isOwn = true
    this.#where = 'after'
    this.#goOn(null)
    if (this.#stage.scope.fan.aborted) this.#answerAborted()
  }

  /** The run was aborted: told by whoever takes its calls through, so that each call needs no listener of its own. */
  abort(): void {
    this.#answerAborted()
  }

  /** An aborted run waits for nobody: what a guard has not seen to its end is not shown. */
  #answerAborted(): void {
    if (this.#where !== 'after') return
    if (this.#steps.some((step) => step.guard)) this.#withheld = true
    this.#answer()
  }

  #answer(): void {
    this.#where = 'over'
    this.#deadline?.abort()
    this.#settle(answerCall(this.call, this.#lastWord(), this.#stage), this.#done)
  }

  #lastWord(): Outcome {
    const latencyMs = this.#latencyMs
    // That nobody knows whether it took effect is no result of the tool: nothing takes the place of that.
    if (this.call.state === 'Unknown' && this.#outcome !== null)
      return { kind: 'passed', outcome: this.#outcome, latencyMs, by: null }
    if (this.#withheld) return { kind: 'withheld' }
    if (this.#isOwn && this.#outcome !== null) return { kind: 'passed', outcome: this.#outcome, latencyMs, by: null }
    return { kind: 'passed', outcome: this.#result ?? withheldResult, latencyMs, by: journalled(this.#by) }
  }

  /** A short circuit: the call is answered and nothing ran; journalled as such. */
  #answerWithoutRunning(): void {
    const { clock } = this.#stage.ports
    // The piece that did not go on; who changed its answer on the way out stands in the step to Observed.
    const name = this.#steps[this.#deepest]?.name ?? ''
    const result = this.#result ?? notCarriedOut(name)
    const by = { by: `middleware:${name}`, executed: false }
    this.#where = 'over'
    this.#deadline?.abort()
    if (!this.#isOfHost) {
      this.call.move('Executing', clock.now(), by)
      this.call.move(result.status === 'success' ? 'Succeeded' : 'Failed', clock.now(), by, { latencyMs: 0 })
      this.call.keepEvidence(result.data)
    }
    const changedBy = this.#isOfHost || this.#by !== name ? journalled(this.#by ?? name) : null
    const outcome = { kind: 'passed', outcome: result, latencyMs: 0, by: changedBy } as const
    this.#settle(answerCall(this.call, outcome, this.#stage), () => this.#arrive(answered))
  }

  /** The call is refused before it ran. Gives back what the pieces around hear. */
  #refuse(by: string, rejection: Rejection): CallStopped {
    const stopped = this.#halt(`Middleware "${by}" stopped the call.`)
    if (this.#isOfHost) {
      this.#settle(answerCall(this.call, { kind: 'withheld' }, this.#stage), () => this.#arrive(answered))
      return stopped
    }
    this.#settle(reject(this.call, rejection, this.#stage, `middleware:${by}`), () => this.#arrive(answered))
    return stopped
  }

  /** The host has carried this call out: what is left of its way is that of its result. */
  get #isOfHost(): boolean {
    return this.call.hostOutcome !== null
  }

  #halt(why: string): CallStopped {
    this.#where = 'over'
    this.#deadline?.abort()
    this.#stopped ??= new CallStopped(why)
    return this.#stopped
  }

  #settle(answering: unknown, next: () => void): void {
    if (isThenable(answering)) answering.then(next, next)
    else next()
  }

  #warn(name: string, error: Error): void {
    const { scope } = this.#stage
    scope.logger.warn(`Middleware "${name}" failed: ${thrownText(error)}`, { call: this.call.record.id })
  }

  setResult(by: string, value: unknown): void {
    if (this.#where === 'over') return
    if (value === undefined) this.#take(undefined, null)
    else this.#take(callResultFrom(value), by)
  }

  #take(result: CallResult | undefined, by: string | null): void {
    this.#isOwn = false
    this.#result = result
    this.#by = by
  }

  terminate(by: string, value: unknown): void {
    if (this.#where === 'over') return
    this.#stage.scope.terminate(by)
    if (this.#where === 'before') this.#isEnding = true
    if (value !== undefined) this.setResult(by, value)
  }

  requireApproval(by: string, reason: string, wentOn: boolean): void {
    this.#requireBefore(by, 'requireApproval', wentOn)
    this.#require(by, reason)
    this.#required = [...this.#required, { by, reason }]
  }

  #require(by: string, reason: string): void {
    if (this.#isOfHost) return
    const { tool, args } = this
    const askedBy = `middleware:${by}`
    if (hasConsent(this.call, digestOf(tool, args, this.#stage), this.#stage, askedBy)) return
    if (this.call.state === 'Retried') throw this.#refuse(by, { kind: 'error' })
    const opened = ask(this.call, { tool, args, askedBy, reason }, this.#stage)
    const stopped = this.#halt(`Middleware "${by}" asked a person.`)
    this.#arrive(opened)
    throw stopped
  }

  refuse(by: string, reason: string, errorCode: ErrorCode, wentOn: boolean): never {
    this.#requireBefore(by, 'reject', wentOn)
    throw this.#refuse(by, { kind: 'refused', errorCode: codeFrom(errorCode), because: reason })
  }

  replaceArgs(by: string, args: JsonObject, wentOn: boolean): Promise<void> {
    const replacing = this.#replace(by, args, wentOn)
    // Heard by `next` too; a piece that does not wait for it must not leave an unheard rejection.
    replacing.catch(() => undefined)
    if (!wentOn) this.#replacing = replacing
    return replacing
  }

  async #replace(by: string, args: JsonObject, wentOn: boolean): Promise<void> {
    this.#requireBefore(by, 'replaceArgs', wentOn)
    const text = JSON.stringify(args)
    const parsed = await parseArguments(text, this.tool.input)
    if (this.#stopped !== null) throw this.#stopped
    if (parsed.kind === 'invalid') {
      this.#warn(by, new Error('the arguments it gave do not fit the tool'))
      throw this.#refuse(by, { kind: 'invalid-arguments', issues: parsed.issues })
    }
    if (canonicalJson(parsed.value) === canonicalJson(this.args)) return
    // What was journalled as started keeps its arguments: consent and evidence hang on them.
    if (this.call.state === 'Retried' || this.#isOfHost) throw this.#refuse(by, { kind: 'error' })
    this.call.move('Validated', this.#stage.ports.clock.now(), { by: `middleware:${by}` }, { arguments: parsed.value })
    const opened = await authoriseCall(this.call, this.#stage)
    if (this.#stopped !== null) throw this.#stopped
    if (opened.kind === 'ready' || opened.kind === 'client') {
      // What was consented to were the arguments before.
      for (const { by: asker, reason } of this.#required) this.#require(asker, reason)
      return
    }
    const stopped = this.#halt(`Policy judged the arguments of middleware "${by}" anew.`)
    this.#arrive(opened.kind === 'ask' ? opened : answered)
    throw stopped
  }

  /** Whoever went on has let the pieces inside see the call as it was. */
  #requireBefore(by: string, what: string, wentOn: boolean): void {
    if (this.#stopped !== null) throw this.#stopped
    if (this.#where === 'before' && !wentOn) return
    throw new FairleadError(
      'MIDDLEWARE_MISUSE',
      `Middleware "${by}" called ${what} after next: it works before the call is carried out.`,
    )
  }
}

/** How the journal names a piece of middleware. */
function journalled(name: string | null): string | null {
  return name === null ? null : `middleware:${name}`
}
