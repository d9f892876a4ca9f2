import type { FinishReason, Usage } from '../core/index.ts'
import type { AiSdkFinishReason, AiSdkUsage } from './ai-sdk-model.ts'

/** A finish reason in our words. Whether there are calls is read from the parts, never from here. */
export function readFinishReason(reason: AiSdkFinishReason): FinishReason {
  switch (reason.unified) {
    case 'stop':
    case 'length':
    case 'error':
      return reason.unified
    case 'tool-calls':
      return 'tool_calls'
    case 'content-filter':
      return 'content_filter'
    default:
      return 'other'
  }
}

/**
 * True when a stream's finish says that the provider never sent one: V4 calls it `interrupted`, V3 providers start with
 * `other` without a raw reason and leave it so. What came before may be half a turn.
 */
export function isCut(reason: AiSdkFinishReason): boolean {
  return reason.unified === 'interrupted' || (reason.unified === 'other' && reason.raw === undefined)
}

/**
 * Tokens of a turn, cached and reasoning tokens included; `undefined` when the provider told neither number. When it
 * told one, the other counts 0 and the sum is a lower bound.
 */
export function readUsage(usage: AiSdkUsage | undefined): Usage | undefined {
  const inputTokens = usage?.inputTokens.total
  const outputTokens = usage?.outputTokens.total
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 }
}
