import type { RunScope } from '../call/run-scope.ts'
import { thrownError } from '../call/thrown.ts'
import type { ChatRequest, ChatResponse } from '../chat/chat-client.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { ChatContext, TurnStream } from './chat-context.ts'
import { GuardFailure } from './guard-failure.ts'
import type { ChatMiddlewareStep } from './middleware-step.ts'
import { PieceHooks } from './piece-hooks.ts'
import { runStep, type Chain, type Done, type StepEnd } from './run-step.ts'
import { ScopeContext } from './scope-context.ts'

/** What a turn came to once it was through chat middleware. */
export type TurnEnd =
  | { readonly kind: 'answered'; readonly response: ChatResponse }
  | { readonly kind: 'failed'; readonly error: Error }
  /** A guard failed: nothing of the turn may be used. */
  | { readonly kind: 'stopped'; readonly by: string; readonly error: Error }

export type TurnSetting = {
  readonly steps: readonly ChatMiddlewareStep[]
  readonly scope: RunScope
  readonly clock: Clock
  readonly turn: number
  readonly streaming: boolean
  readonly request: ChatRequest
  /** Asks the model; tells its answer, or the error it failed with. */
  readonly ask: (
    request: ChatRequest,
    hooks: PieceHooks | null,
    told: (answer: ChatResponse | ModelFailure) => void,
  ) => void
}

/** A turn without a word: what is answered when middleware neither asks the model nor says anything itself. */
const silence: ChatResponse = { parts: [], finishReason: 'stop' }

/** One turn's way through chat middleware. */
export class TurnPassage implements Chain<TurnContext> {
  #hooks: PieceHooks | null = null
  readonly setting: TurnSetting
  request: ChatRequest
  result: ChatResponse | undefined
  /** True once the model was asked. */
  asked = false
  #stopped: Extract<TurnEnd, { kind: 'stopped' }> | null = null
  /** Nobody waits for the turn any more. */
  #isClosed = false

  constructor(setting: TurnSetting) {
    this.setting = setting
    this.request = setting.request
  }

  /** What middleware registered on the pieces of the turn. Made when the first asks for it. */
  get hooks(): PieceHooks {
    this.#hooks ??= new PieceHooks()
    return this.#hooks
  }

  /** Runs the chain; tells once what the turn came to. */
  run(told: (end: TurnEnd) => void): void {
    this.#run(0, (error) => {
      const end: TurnEnd =
        error === null ? { kind: 'answered', response: this.result ?? silence } : { kind: 'failed', error }
      told(this.#stopped ?? this.#closed() ?? end)
    })
  }

  /** The turn is over: tells whoever asked to hear of that, and asks the model nothing more. */
  close(): void {
    this.#closed()
  }

  #closed(): TurnEnd | null {
    this.#isClosed = true
    try {
      this.#hooks?.end()
      return null
    } catch (error) {
      return { kind: 'failed', error: thrownError(error) }
    }
  }

  #run(index: number, done: Done): void {
    const step = this.setting.steps[index]
    if (step === undefined) return this.#ask(done)
    runStep<TurnContext>(this, { index, step, context: new TurnContext(this, step, index) }, done)
  }

  get timers(): Set<AbortController> {
    return this.setting.scope.timers
  }

  get clock(): Clock {
    return this.setting.clock
  }

  goOn(index: number, done: Done): void {
    if (this.#stopped === null) this.#run(index + 1, done)
    else done(guardError(this.#stopped))
  }

  #ask(done: Done): void {
    if (this.#isClosed) return done(new ModelFailure('The turn is over.'))
    this.asked = true
    this.setting.ask(this.request, this.#hooks, (answer) => {
      if (answer instanceof ModelFailure) return done(answer)
      this.result = answer
      done(null)
    })
  }

  judge(index: number, end: StepEnd): Error | null {
    const step = this.setting.steps[index]
    if (step === undefined) return null
    if (this.#stopped !== null) return guardError(this.#stopped)
    if (end.kind === 'done') {
      if (!step.guard || end.wentOn || this.result !== undefined) return null
      return this.#stop(step.name, new Error('it neither went on nor gave a result'))
    }
    const { error } = end
    // What a guard lets through from inside is the model's own failure, not the guard's.
    const isOwn = !(error instanceof ModelFailure)
    if (isOwn && (step.guard || error instanceof GuardFailure)) return this.#stop(step.name, error)
    if (!isOwn) return error
    return error instanceof MiddlewareFailure ? error : new MiddlewareFailure(step.name, error)
  }

  #stop(by: string, error: Error): Error {
    this.#stopped = { kind: 'stopped', by, error }
    return guardError(this.#stopped)
  }
}

function guardError({ by }: { readonly by: string }): GuardFailure {
  return new GuardFailure(`Guard "${by}" stopped the model's turn.`)
}

/** A model that failed, as chat middleware hears of it from `next`. */
export class ModelFailure extends FairleadError {
  override readonly name = 'ModelFailure'

  constructor(message: string) {
    super('MODEL_ERROR', message)
  }
}

/** A piece of middleware that threw. */
class MiddlewareFailure extends Error {
  override readonly name = 'MiddlewareFailure'

  constructor(by: string, error: Error) {
    super(`Middleware "${by}" failed: ${error.message}`, { cause: error })
  }
}

/** What one piece sees of a passage. */
class TurnContext extends ScopeContext implements ChatContext {
  readonly kind = 'chat'
  readonly #passage: TurnPassage
  readonly #step: ChatMiddlewareStep
  readonly #index: number
  #stream: TurnStream | undefined
  wentOn = false

  constructor(passage: TurnPassage, step: ChatMiddlewareStep, index: number) {
    super(passage.setting.scope)
    this.#passage = passage
    this.#step = step
    this.#index = index
  }

  get turn(): number {
    return this.#passage.setting.turn
  }

  get streaming(): boolean {
    return this.#passage.setting.streaming
  }

  get request(): ChatRequest {
    return this.#passage.request
  }

  set request(request: ChatRequest) {
    this.#passage.request = request
  }

  get result(): ChatResponse | undefined {
    return this.#passage.result
  }

  set result(result: ChatResponse | undefined) {
    this.#passage.result = result
  }

  get stream(): TurnStream {
    this.#stream ??= this.#passage.hooks.of(this.#index, (what) => {
      if (!this.wentOn) return
      throw new FairleadError(
        'MIDDLEWARE_MISUSE',
        `Middleware "${this.#step.name}" called ${what} after next: register it before, the pieces have been told.`,
      )
    })
    return this.#stream
  }

  terminate(result?: ChatResponse): void {
    this.#passage.setting.scope.terminate(this.#step.name)
    if (result !== undefined) this.#passage.result = result
  }
}
