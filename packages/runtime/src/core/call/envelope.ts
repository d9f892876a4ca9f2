import type { Json } from '../json/json.ts'
import type { ErrorCode } from './error-code.ts'

/**
 * The one form of every call's outcome, as the host sees it. `data` is the full, normalised result;
 * `summary` is short; `latencyMs` is whole milliseconds from the start of the last attempt to its end.
 */
export type Envelope = {
  readonly status: 'success' | 'error'
  readonly data: Json
  readonly summary: string
  readonly errorCode?: ErrorCode
  readonly retryable: boolean
  readonly evidenceUri?: string
  readonly latencyMs?: number
}
