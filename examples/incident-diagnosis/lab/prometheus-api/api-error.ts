import { jsonAnswer } from '../http/http-answer.ts'
import type { HttpAnswer } from '../http/http-answer.ts'
import { PromqlError } from '../promql/promql-error.ts'

/** A request whose parameters Prometheus refuses with `bad_data`. */
export class BadParameterError extends Error {
  override readonly name = 'BadParameterError'
  readonly code = 'BAD_PARAMETER'
}

/** The error for one parameter, worded as Prometheus words it. */
export function badParameter(parameter: string, problem: string): BadParameterError {
  return new BadParameterError(`invalid parameter "${parameter}": ${problem}`)
}

/** An answer of the error form of Prometheus' API. */
export function errorAnswer(status: number, errorType: string, error: string): HttpAnswer {
  return jsonAnswer(status, { status: 'error', errorType, error })
}

/** Answers a request, with Prometheus' error form for bad parameters and queries; other exceptions pass through. */
export function answerOrError(respond: () => HttpAnswer): HttpAnswer {
  try {
    return respond()
  } catch (error) {
    if (error instanceof BadParameterError) return errorAnswer(400, 'bad_data', error.message)
    if (!(error instanceof PromqlError)) throw error
    switch (error.code) {
      case 'PROMQL_SYNTAX_ERROR':
        return errorAnswer(400, 'bad_data', error.message)
      case 'PROMQL_UNSUPPORTED':
        return errorAnswer(422, 'unsupported', error.message)
      case 'PROMQL_EVALUATION_ERROR':
        return errorAnswer(422, 'execution', error.message)
      default:
        return error.code satisfies never
    }
  }
}
