import type { Json } from '../json/json.ts'
import type { ErrorCode } from '../call/error-code.ts'

/**
 * What a tool throws to fail with a code of its own. Its `message` is written for the model: say what is wrong and
 * what to do next, never a secret, a path or a stack. `detail` is for the host only.
 * Anything else a tool throws becomes `INTERNAL`, and nothing of it reaches the model.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly detail: Json

  constructor(
    code: ErrorCode,
    message: string,
    options?: { readonly retryable?: boolean; readonly detail?: Json; readonly cause?: unknown },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options?.retryable ?? false
    this.detail = options?.detail ?? null
  }
}
