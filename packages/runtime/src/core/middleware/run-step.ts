import { FairleadError } from '../fairlead-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { MiddlewareStep, Next } from './middleware-step.ts'

/** How one piece of middleware ended. `wentOn`: it called `next`. */
export type StepEnd =
  | { readonly kind: 'done'; readonly wentOn: boolean }
  | { readonly kind: 'failed'; readonly wentOn: boolean; readonly error: unknown }

export type StepRun = {
  readonly step: Pick<MiddlewareStep, 'name' | 'kind' | 'timeoutMs'>
  readonly handle: (next: Next) => unknown
  /** The rest of the chain. */
  readonly inner: () => Promise<void>
  readonly clock: Clock
  /** Told how it ended, once; an error it gives back is what whoever called this step hears. */
  readonly judge: (end: StepEnd) => Error | null
}

/**
 * Runs one piece around the rest of its chain. Its own time is limited, what runs inside `next` is not counted. A piece
 * that does not wait for its `next` is waited for all the same. Rejects only with what `judge` gives back.
 */
export function runStep(run: StepRun): Promise<void> {
  return new Promise((resolve, reject) => {
    new RunningStep(run, (end) => {
      const error = run.judge(end)
      if (error === null) resolve()
      else reject(error)
    }).start()
  })
}

class RunningStep {
  readonly #run: StepRun
  readonly #tell: (end: StepEnd) => void
  #wentOn = false
  #over = false
  /** The rest of the chain, while it runs. */
  #inside: Promise<void> | null = null
  #timer: AbortController | null = null

  constructor(run: StepRun, tell: (end: StepEnd) => void) {
    this.#run = run
    this.#tell = tell
  }

  start(): void {
    this.#startTimer()
    let handled: unknown
    try {
      handled = this.#run.handle(this.#next)
    } catch (error) {
      return this.#fail(error)
    }
    if (handled === undefined) return this.#return()
    // Adopted, not called: a thenable of somebody else's making may throw.
    Promise.resolve(handled).then(this.#return, this.#fail)
  }

  readonly #next = (): Promise<void> => {
    const { step, inner } = this.#run
    if (this.#wentOn && step.kind === 'function') {
      return heard(
        new FairleadError(
          'NEXT_CALLED_TWICE',
          `Middleware "${step.name}" called next() twice; a call is carried out at most once.`,
        ),
      )
    }
    if (this.#over || this.#inside !== null) {
      const when = this.#over ? 'after it had ended' : 'while an earlier next() still ran'
      return heard(new FairleadError('MIDDLEWARE_MISUSE', `Middleware "${step.name}" called next() ${when}.`))
    }
    this.#wentOn = true
    this.#timer?.abort()
    const inside = inner()
    this.#inside = inside
    const left = (): void => {
      this.#inside = null
      this.#startTimer()
    }
    // Before whoever awaits it; heard here as well, so that a piece which does not wait leaves no unheard rejection.
    inside.then(left, left)
    return inside
  }

  readonly #return = (): void => {
    if (this.#inside === null) return this.#end({ kind: 'done', wentOn: this.#wentOn })
    const done = (): void => this.#end({ kind: 'done', wentOn: true })
    this.#inside.then(done, this.#fail)
  }

  readonly #fail = (error: unknown): void => {
    const failed = (): void => this.#end({ kind: 'failed', wentOn: this.#wentOn, error })
    if (this.#inside === null) failed()
    else this.#inside.then(failed, failed)
  }

  #end(end: StepEnd): void {
    if (this.#over) return
    this.#over = true
    this.#timer?.abort()
    this.#tell(end)
  }

  #startTimer(): void {
    const { step, clock } = this.#run
    const { timeoutMs } = step
    if (timeoutMs === null || this.#over) return
    const timer = new AbortController()
    this.#timer = timer
    clock.sleep(timeoutMs, timer.signal).then(
      () => {
        const error = new FairleadError(
          'MIDDLEWARE_TIMEOUT',
          `Middleware "${step.name}" did not finish within ${timeoutMs} ms.`,
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
  rejected.catch(() => undefined)
  return rejected
}
