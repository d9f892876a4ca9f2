import { thrownError } from '../call/thrown.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { MiddlewareStep, Next } from './middleware-step.ts'

const nothing = (): void => undefined

/** How one piece of middleware ended. `wentOn`: it called `next`. */
export type StepEnd =
  | { readonly kind: 'done'; readonly wentOn: boolean }
  | { readonly kind: 'failed'; readonly wentOn: boolean; readonly error: Error }

/** Told once when a chain, or the rest of one, is through; an error is what whoever called it hears. */
export type Done = (error: Error | null) => void

/** What a piece sees; the chain is told here that it went on. */
type StepContext = { wentOn: boolean }

/** One piece in its chain. */
export type Placed<Context> = {
  readonly name: string
  readonly kind: MiddlewareStep['kind']
  readonly timeoutMs: number | null
  handle(context: Context, next: Next): unknown
}

/** Pieces around something. Methods, not closures made for each piece: a chain is run for every call and every turn. */
export interface Chain<Context> {
  readonly clock: Clock
  /** Timers of pieces under way: aborted when nobody waits for the chain any more. */
  readonly timers: Set<AbortController>
  /** Goes on behind the piece at `index`. */
  goOn(index: number, done: Done): void
  /** Told how the piece at `index` ended, once; an error given back is what whoever called the piece hears. */
  judge(index: number, end: StepEnd, context: Context): Error | null
}

/**
 * Runs one piece around the rest of its chain. Its own time is limited, what runs inside `next` is not counted. A piece
 * that does not wait for its `next` is waited for all the same. By callbacks, because each piece around each call is paid
 * for in promises: only `next` makes one, for whoever awaits it.
 */
export function runStep<Context extends StepContext>(
  chain: Chain<Context>,
  place: { readonly index: number; readonly step: Placed<Context>; readonly context: Context },
  done: Done,
): void {
  new RunningStep(chain, place, done).start()
}

class RunningStep<Context extends StepContext> {
  readonly #chain: Chain<Context>
  readonly #index: number
  readonly #step: Placed<Context>
  readonly #context: Context
  readonly #done: Done
  #wentOn = false
  #over = false
  /** The rest of the chain runs. */
  #isInside = false
  /** What is done once the rest of the chain is through: the piece has not waited for it. */
  #whenLeft: ((error: Error | null) => void) | null = null
  #timer: AbortController | null = null
  /** Of the promise of the last `next`. */
  #resolve: () => void = nothing
  #reject: (error: Error) => void = nothing

  constructor(chain: Chain<Context>, { index, step, context }: Parameters<typeof runStep<Context>>[1], done: Done) {
    this.#chain = chain
    this.#index = index
    this.#step = step
    this.#context = context
    this.#done = done
  }

  start(): void {
    this.#startTimer()
    let handled: unknown
    try {
      handled = this.#step.handle(this.#context, this.#next)
    } catch (error) {
      return this.#fail(error)
    }
    if (handled === undefined) return this.#return()
    // Adopted, not called: a thenable of somebody else's making may throw.
    Promise.resolve(handled).then(this.#return, this.#fail)
  }

  readonly #next = (): Promise<void> => {
    const step = this.#step
    if (this.#wentOn && step.kind === 'function') {
      return heard(
        new FairleadError(
          'NEXT_CALLED_TWICE',
          `Middleware "${step.name}" called next() twice; a call is carried out at most once.`,
        ),
      )
    }
    if (this.#over || this.#isInside) {
      const when = this.#over ? 'after it had ended' : 'while an earlier next() still ran'
      return heard(new FairleadError('MIDDLEWARE_MISUSE', `Middleware "${step.name}" called next() ${when}.`))
    }
    this.#wentOn = true
    this.#context.wentOn = true
    this.#isInside = true
    this.#timer?.abort()
    const inside = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#chain.goOn(this.#index, (error) => {
      this.#leave(error)
      if (error === null) return this.#resolve()
      // A piece that does not wait for its next leaves no unheard rejection.
      inside.catch(nothing)
      this.#reject(error)
    })
    return inside
  }

  /** The rest of the chain is through: the piece's own time goes on. */
  #leave(error: Error | null): void {
    this.#isInside = false
    this.#startTimer()
    const whenLeft = this.#whenLeft
    this.#whenLeft = null
    whenLeft?.(error)
  }

  readonly #return = (): void => {
    if (!this.#isInside) return this.#end({ kind: 'done', wentOn: this.#wentOn })
    this.#whenLeft = (error) =>
      this.#end(error === null ? { kind: 'done', wentOn: true } : { kind: 'failed', wentOn: true, error })
  }

  readonly #fail = (thrown: unknown): void => {
    const error = thrownError(thrown)
    const failed = (): void => this.#end({ kind: 'failed', wentOn: this.#wentOn, error })
    if (this.#isInside) this.#whenLeft = failed
    else failed()
  }

  #end(end: StepEnd): void {
    if (this.#over) return
    this.#over = true
    this.#timer?.abort()
    this.#done(this.#chain.judge(this.#index, end, this.#context))
  }

  #startTimer(): void {
    const { name, timeoutMs } = this.#step
    if (timeoutMs === null || this.#over) return
    const timer = new AbortController()
    this.#timer = timer
    this.#chain.timers.add(timer)
    timer.signal.addEventListener('abort', () => this.#chain.timers.delete(timer), { once: true })
    this.#chain.clock.sleep(timeoutMs, timer.signal).then(
      () => {
        const error = new FairleadError(
          'MIDDLEWARE_TIMEOUT',
          `Middleware "${name}" did not finish within ${timeoutMs} ms.`,
        )
        this.#end({ kind: 'failed', wentOn: this.#wentOn, error })
      },
      () => undefined,
    )
  }
}

/** A rejection that is no unheard one where nobody waits for it. */
function heard(error: Error): Promise<never> {
  const rejected = Promise.reject(error)
  rejected.catch(nothing)
  return rejected
}
