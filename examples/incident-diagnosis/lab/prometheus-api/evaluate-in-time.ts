import type { HttpAnswer } from '../http/http-answer.ts'
import type { Expression } from '../promql/ast.ts'
import { evaluate } from '../promql/evaluate.ts'
import type { EvaluationInput } from '../promql/evaluate.ts'
import type { Value } from '../promql/value.ts'
import { runWithin } from '../text/run-within.ts'
import { errorAnswer } from './api-error.ts'

const limitMilliseconds = 10_000

/** Evaluates and renders an expression, or answers with Prometheus' time-out error after ten seconds. */
export function evaluateInTime(
  expression: Expression,
  input: EvaluationInput,
  render: (value: Value) => HttpAnswer,
): HttpAnswer {
  const outcome = runWithin(limitMilliseconds, () => render(evaluate(expression, input)))
  return outcome.kind === 'finished'
    ? outcome.value
    : errorAnswer(503, 'timeout', 'query timed out in expression evaluation')
}
