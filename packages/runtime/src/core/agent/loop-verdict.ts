import { safeErrorText } from '../call/safe-error-text.ts'
import { isJsonObject } from '../json/json.ts'
import type { Usage } from '../ports/run-record.ts'
import type { RunOptions } from './agent-options.ts'
import type { RunResult } from './run-result.ts'

/** What something cost: tokens, and US dollars (`null` when they are not known). */
export type Spending = { readonly usage: Usage; readonly costUsd: number | null }

/** Which run of the loop is judged, from 1; and on whose behalf, where and until when whoever judges may work. */
export type LoopStep = { readonly loop: number } & Pick<RunOptions, 'signal' | 'principal' | 'environment'>

/** What a predicate may say of an answer: done or not, and what is missing. */
export type UntilAnswer =
  | boolean
  | {
      readonly done: boolean
      readonly feedback?: string
      /** What a judge said could not be read: never done, and counted. */
      readonly unreadable?: boolean
      /** What asking cost; it counts on the loop's result. */
      readonly spent?: Spending
    }

/** Judges an answer. Asked once for every run that ended with `answered`, with that run's own result. */
export type Until = (result: RunResult, step: LoopStep) => UntilAnswer | PromiseLike<UntilAnswer>

/** What became of judging an answer. `feedback` is empty where nothing was said. */
export type LoopVerdict =
  | { readonly kind: 'done'; readonly feedback: string }
  | { readonly kind: 'not_done'; readonly feedback: string }
  /** A judge spoke in a form nobody can read: not done. */
  | { readonly kind: 'unreadable'; readonly feedback: string }
  /** The predicate, or what makes the next input, threw or gave something else than it must: one line for the host. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The signal fired before there was a verdict. */
  | { readonly kind: 'aborted' }

/** A verdict after which the loop may go on. */
export type OpenVerdict = Extract<LoopVerdict, { readonly kind: 'not_done' | 'unreadable' }>

/** Asks the predicate, no longer than the signal allows. Never rejects. */
export async function judgeAnswer(
  until: Until,
  result: RunResult,
  step: LoopStep,
): Promise<{ readonly verdict: LoopVerdict; readonly spent: Spending }> {
  const told = await attempt(() => until(result, step), step.signal)
  return told.kind === 'done' ? readAnswer(told.value) : { verdict: told, spent: nothing }
}

/** What came of the host's own code. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | Extract<LoopVerdict, { readonly kind: 'failed' | 'aborted' }>

/** Runs the host's code; an abort ends the waiting, whatever the code does then. Never rejects. */
export function attempt<T>(work: () => T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<Attempt<T>> {
  if (signal?.aborted === true) return Promise.resolve({ kind: 'aborted' })
  return new Promise((resolve) => {
    const stop = (): void => end({ kind: 'aborted' })
    const end = (outcome: Attempt<T>): void => {
      signal?.removeEventListener('abort', stop)
      resolve(outcome)
    }
    signal?.addEventListener('abort', stop, { once: true })
    // In an async function, so that what throws at once is a rejection too.
    const working = async (): Promise<T> => work()
    working().then(
      (value) => end({ kind: 'done', value }),
      (error: unknown) => end({ kind: 'failed', error: safeErrorText(error) }),
    )
  })
}

const nothing: Spending = { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 }

function readAnswer(answer: UntilAnswer): { readonly verdict: LoopVerdict; readonly spent: Spending } {
  if (typeof answer === 'boolean') return readAnswer({ done: answer })
  // The types promise it; the predicate is the host's and may have none.
  if (!isJsonObject(answer) || typeof answer.done !== 'boolean' || !isTextOrNothing(answer.feedback)) {
    const error = `until must answer true, false or {done: boolean, feedback?: string}; found ${foundIn(answer)}.`
    return { verdict: { kind: 'failed', error }, spent: nothing }
  }
  const { done, feedback = '', unreadable = false, spent = nothing } = answer
  return { verdict: { kind: unreadable ? 'unreadable' : done ? 'done' : 'not_done', feedback }, spent }
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function foundIn(answer: unknown): string {
  return isJsonObject(answer) ? `an object with ${Object.keys(answer).join(', ') || 'nothing in it'}` : typeof answer
}
