import { FairleadError } from '../fairlead-error.ts'

/** When the call limit bites: after the batch that reached it has run, or at once, the surplus calls answered. */
export type CallLimit = { readonly limit: number; readonly mode: 'afterBatch' | 'hard' }

/**
 * Limits of one run. Reaching one never throws: the model is asked once more without tools, and the stop reason says
 * which it was. `null` is no limit.
 */
export type LoopLimits = {
  /** Model turns. Default 40. */
  readonly maxIterations: number
  /** Executed calls. Default none; a bare number means `afterBatch`. */
  readonly maxFunctionCalls: CallLimit | null
  /** Batches in a row with a failed call. Default 3; 0 stops at the first. */
  readonly maxConsecutiveErrors: number
  /** End the run at a call of an unknown tool, before anything of its batch runs. Default false. */
  readonly terminateOnUnknownCalls: boolean
  /** Calls of one batch that run at the same time. Default none. */
  readonly concurrency: number | null
  /** Input and output tokens together. Default none. */
  readonly maxTokens: number | null
  /** US dollars, models and tools together; a cost nobody knows counts as over the limit. Default none. */
  readonly maxCostUsd: number | null
  /** Milliseconds of work, waiting for people not counted. Default none. */
  readonly deadlineMs: number | null
}

/** The limits as they may be written. */
export type LimitOptions = {
  readonly [Limit in Exclude<keyof LoopLimits, 'maxFunctionCalls'>]?: LoopLimits[Limit] | undefined
} & {
  readonly maxFunctionCalls?: number | CallLimit | null | undefined
}

const defaultLimits: LoopLimits = {
  maxIterations: 40,
  maxFunctionCalls: null,
  maxConsecutiveErrors: 3,
  terminateOnUnknownCalls: false,
  concurrency: null,
  maxTokens: null,
  maxCostUsd: null,
  deadlineMs: null,
}

/** Fills in what is not written from `base`. Throws `INVALID_OPTION` for a number that makes no sense. */
export function readLimits(options: LimitOptions, base: LoopLimits = defaultLimits): LoopLimits {
  const calls = options.maxFunctionCalls
  const limits: LoopLimits = {
    maxIterations: whole('maxIterations', options.maxIterations ?? base.maxIterations, 1),
    maxFunctionCalls: calls === undefined ? base.maxFunctionCalls : readCallLimit(calls),
    maxConsecutiveErrors: whole('maxConsecutiveErrors', options.maxConsecutiveErrors ?? base.maxConsecutiveErrors, 0),
    terminateOnUnknownCalls: options.terminateOnUnknownCalls ?? base.terminateOnUnknownCalls,
    concurrency: optional(options.concurrency, base.concurrency, (value) => whole('concurrency', value, 1)),
    maxTokens: optional(options.maxTokens, base.maxTokens, (value) => whole('maxTokens', value, 1)),
    maxCostUsd: optional(options.maxCostUsd, base.maxCostUsd, (value) => positive('maxCostUsd', value)),
    deadlineMs: optional(options.deadlineMs, base.deadlineMs, (value) => positive('deadlineMs', value)),
  }
  return limits
}

function readCallLimit(value: number | CallLimit | null): CallLimit | null {
  if (value === null) return null
  const { limit, mode } = typeof value === 'number' ? { limit: value, mode: 'afterBatch' as const } : value
  if (mode !== 'afterBatch' && mode !== 'hard') {
    throw new FairleadError(
      'INVALID_OPTION',
      `maxFunctionCalls.mode must be "afterBatch" or "hard"; found ${JSON.stringify(mode)}.`,
    )
  }
  return { limit: whole('maxFunctionCalls', limit, 1), mode }
}

function optional(
  value: number | null | undefined,
  base: number | null,
  read: (value: number) => number,
): number | null {
  if (value === undefined) return base
  return value === null ? null : read(value)
}

function whole(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value
  throw new FairleadError('INVALID_OPTION', `${name} must be a whole number from ${least}; found ${String(value)}.`)
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value
  throw new FairleadError('INVALID_OPTION', `${name} must be a positive number; found ${String(value)}.`)
}
