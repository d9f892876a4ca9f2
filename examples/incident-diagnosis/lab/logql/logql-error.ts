/** The stable codes of `LogqlError`. */
export type LogqlErrorCode = 'LOGQL_SYNTAX_ERROR' | 'LOGQL_UNSUPPORTED' | 'LOGQL_EVALUATION_ERROR'

/** A log query that is no LogQL, uses LogQL this lab does not have, or fails on the data; the message starts with the code. */
export class LogqlError extends Error {
  override readonly name = 'LogqlError'
  readonly code: LogqlErrorCode

  constructor(code: LogqlErrorCode, explanation: string) {
    super(`${code}: ${explanation}`)
    this.code = code
  }
}

/** The error for text that is no LogQL; positions count characters from 1. */
export function logqlSyntaxError(
  query: string,
  problem: { readonly offset: number; readonly expected: string; readonly found?: string },
): LogqlError {
  const rest = query.slice(problem.offset)
  const next = rest === '' ? 'the end of the query' : JSON.stringify(rest.slice(0, 20))
  return new LogqlError(
    'LOGQL_SYNTAX_ERROR',
    `at position ${problem.offset + 1}: expected ${problem.expected}, found ${problem.found ?? next}`,
  )
}

/** The error for valid LogQL that is beyond this lab; names it and lists what the lab has. */
export function logqlUnsupported(what: string): LogqlError {
  return new LogqlError(
    'LOGQL_UNSUPPORTED',
    `${what} is not supported by this lab; supported: a stream selector with = != =~ !~, the line filters |= != |~ !~, ` +
      '| json, label filters such as | level="error" or | status >= 500, and count_over_time({…} … [5m]), alone or in a sum with by or without',
  )
}
