import type { LimitOptions } from '../loop/loop-limits.ts'
import { anything, flag, type OptionCheck } from '../options/option-check.ts'

/** The limits an agent and a run may be given. The numbers are read elsewhere, with errors of their own. */
export const limitChecks: { readonly [Limit in keyof Required<LimitOptions>]: OptionCheck } = {
  maxIterations: anything,
  maxFunctionCalls: anything,
  maxConsecutiveErrors: anything,
  terminateOnUnknownCalls: flag,
  concurrency: anything,
  maxTokens: anything,
  maxCostUsd: anything,
  deadlineMs: anything,
}
