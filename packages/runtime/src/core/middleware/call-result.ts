import { codeFrom, type ErrorCode } from '../call/error-code.ts'
import type { ExecutionOutcome } from '../call/execution-outcome.ts'
import { isResultItem, normaliseResult } from '../call/normalise-result.ts'
import { toJson } from '../call/to-json.ts'
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

/** Results made here; one that somebody else made says anything. */
const made = new WeakSet<CallResult>()
/** What the items of a result were made of, so that a changed copy does not show the old ones. */
const dataOf = new WeakMap<readonly ResultItem[], Json>()

/** A result of the pipeline's own, which is taken as it is. */
export function madeResult(outcome: Omit<ExecutionOutcome, 'state'>): CallResult {
  const result = new CallResult(outcome)
  made.add(result)
  dataOf.set(result.items, result.data)
  return result
}

/**
 * Whatever a tool might return, as a result; one that was read before is taken as it is, a copy with other members is
 * read member by member. Throws like `toJson`.
 */
export function callResultFrom(value: unknown): CallResult {
  if (value instanceof CallResult && made.has(value)) return value
  if (value instanceof CallResult || isCopy(value)) return readCopy(value)
  const { envelope, items } = normaliseResult(value)
  return madeResult({
    status: envelope.status,
    data: envelope.data,
    summary: envelope.summary,
    errorCode: envelope.status === 'error' ? (envelope.errorCode ?? 'INTERNAL') : null,
    retryable: envelope.retryable,
    items,
  })
}

const members = ['status', 'data', 'summary', 'errorCode', 'retryable', 'items']

function isCopy(value: unknown): value is CallResult {
  return typeof value === 'object' && value !== null && members.every((name) => Object.hasOwn(value, name))
}

function readCopy({ status, data: given, summary, errorCode, retryable, items }: CallResult): CallResult {
  const data = toJson(given)
  const isError = status === 'error'
  const areOld = dataOf.has(items) && dataOf.get(items) !== given
  const areFit = Array.isArray(items) && items.every(isResultItem)
  return madeResult({
    status: isError ? 'error' : 'success',
    data,
    summary: typeof summary === 'string' ? summary : null,
    errorCode: isError ? codeFrom(errorCode ?? 'INTERNAL') : null,
    retryable: retryable === true,
    items: areFit && !areOld ? items.map((item) => toJson(item) as ResultItem) : normaliseResult(data).items,
  })
}

/** What is shown in the place of a result nobody may see. */
export const withheldResult: CallResult = madeResult({
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
  return madeResult({
    status: 'success',
    data: null,
    summary: text,
    errorCode: null,
    retryable: false,
    items: [{ kind: 'text', text }],
  })
}
