import type { ErrorCode } from '../call/error-code.ts'
import type { ExecutionOutcome } from '../call/execution-outcome.ts'
import { normaliseResult } from '../call/normalise-result.ts'
import { deepFreeze } from '../json/deep-freeze.ts'
import type { Json } from '../json/json.ts'
import type { ResultItem } from '../ports/labels.ts'

/** A call's result as function middleware sees it. Never changes; to change the result, set another one. */
export class CallResult {
  readonly status: 'success' | 'error'
  /** The full, normalised value. */
  readonly data: Json
  /** `null`: to be made from the data. */
  readonly summary: string | null
  readonly errorCode: ErrorCode | null
  readonly retryable: boolean
  /** What the model would be shown of a success. */
  readonly items: readonly ResultItem[]

  constructor(outcome: Omit<ExecutionOutcome, 'state'>) {
    this.status = outcome.status
    // Copies of what the tool gave, which the evidence keeps too.
    this.data = deepFreeze(outcome.data)
    this.summary = outcome.summary
    this.errorCode = outcome.errorCode
    this.retryable = outcome.retryable
    this.items = deepFreeze(outcome.items)
  }
}

/** Whatever a tool might return, as a result; a result that was read before is taken as it is. Throws like `toJson`. */
export function callResultFrom(value: unknown): CallResult {
  if (value instanceof CallResult) return value
  const { envelope, items } = normaliseResult(value)
  return new CallResult({
    status: envelope.status,
    data: envelope.data,
    summary: envelope.summary,
    errorCode: envelope.status === 'error' ? (envelope.errorCode ?? 'INTERNAL') : null,
    retryable: envelope.retryable,
    items,
  })
}

/** What is shown in the place of a result nobody may see. */
export const withheldResult: CallResult = new CallResult({
  status: 'error',
  data: null,
  summary: '',
  errorCode: 'RESULT_WITHHELD',
  retryable: false,
  items: [],
})

/** A short circuit that said nothing. */
export function notCarriedOut(by: string): CallResult {
  const text = `The call was not carried out: middleware "${by}" answered it without a result.`
  return new CallResult({
    status: 'success',
    data: null,
    summary: text,
    errorCode: null,
    retryable: false,
    items: [{ kind: 'text', text }],
  })
}
