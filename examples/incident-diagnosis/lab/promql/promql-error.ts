/** The stable codes of `PromqlError`. */
export type PromqlErrorCode = 'PROMQL_SYNTAX_ERROR' | 'PROMQL_UNSUPPORTED' | 'PROMQL_EVALUATION_ERROR'

/** A query that is no PromQL, uses PromQL this lab does not have, or fails on the data; the message starts with the code. */
export class PromqlError extends Error {
  override readonly name = 'PromqlError'
  readonly code: PromqlErrorCode

  constructor(code: PromqlErrorCode, explanation: string) {
    super(`${code}: ${explanation}`)
    this.code = code
  }
}

/** A place in a query (an offset from 0) and what would have been right there. */
export interface SyntaxProblem {
  readonly offset: number
  readonly expected: string
  readonly found: string
}

/** The error for text that is no PromQL; positions count characters from 1. */
export function syntaxError({ offset, expected, found }: SyntaxProblem): PromqlError {
  return new PromqlError('PROMQL_SYNTAX_ERROR', `at position ${offset + 1}: expected ${expected}, found ${found}`)
}
