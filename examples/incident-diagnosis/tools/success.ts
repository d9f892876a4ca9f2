import { ToolError, type Json } from '@fairlead/runtime'

const largestResult = 200_000

/** A successful result with a sentence of its own for people and traces. */
export type Success<TData extends Json> = {
  readonly status: 'success'
  readonly data: TData
  readonly summary: string
  readonly retryable: false
}

/** Wraps a tool's data. Throws `RESULT_TOO_LARGE` when its JSON is over 200 000 characters. */
export function success<TData extends Json>(data: TData, summary: string): Success<TData> {
  const size = JSON.stringify(data).length
  if (size > largestResult) {
    throw new ToolError(
      'RESULT_TOO_LARGE',
      `The result has ${size} characters, the limit is ${largestResult}. Ask for a shorter range, a coarser step or a narrower filter.`,
    )
  }
  return { status: 'success', data, summary, retryable: false }
}
