import { FairleadError } from '../fairlead-error.ts'

/** Limits of one run. Reaching one never throws: the model is asked once more without tools, and the run says why. */
export type LoopLimits = {
  /** Model turns of a run. Default 40. */
  readonly maxIterations: number
  /** Batches in a row with a failed call. Default 3; 0 stops at the first. */
  readonly maxConsecutiveErrors: number
}

export const defaultLimits: LoopLimits = { maxIterations: 40, maxConsecutiveErrors: 3 }

/** Fills in defaults. Throws `INVALID_OPTION` for a number that makes no sense. */
export function readLimits(limits: Partial<LoopLimits>): LoopLimits {
  const read = { ...defaultLimits, ...limits }
  requireWhole('maxIterations', read.maxIterations, 1)
  requireWhole('maxConsecutiveErrors', read.maxConsecutiveErrors, 0)
  return read
}

function requireWhole(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return
  throw new FairleadError('INVALID_OPTION', `${name} must be a whole number from ${least}; found ${String(value)}.`)
}
