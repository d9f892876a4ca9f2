import { metricNameLabel, withoutLabels } from '../metrics/labels.ts'
import { selectSeries } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { aggregate } from './aggregate.ts'
import type { Expression, RangeSelector } from './ast.ts'
import { applyBinary } from './binary-operation.ts'
import { extrapolatedRate } from './extrapolated-rate.ts'
import { overWindows, quantilesOf } from './functions.ts'
import { PromqlError } from './promql-error.ts'
import { selectInstant } from './select-instant.ts'
import { mergeSameLabels } from './value.ts'
import type { EvaluationTimes, ResultSeries, Value } from './value.ts'

/** What an evaluation reads: all stored series, and the times to evaluate at. */
export interface EvaluationInput {
  readonly series: readonly StoredSeries[]
  readonly times: EvaluationTimes
}

type Call = Extract<Expression, { readonly kind: 'call' }>

/** Evaluates a type-checked expression at all times at once; throws a PromqlError where Prometheus fails on the data. */
export function evaluate(expression: Expression, input: EvaluationInput): Value {
  switch (expression.kind) {
    case 'number':
      return { kind: 'scalar', values: input.times.map(() => expression.value) }
    case 'string':
      return { kind: 'string', value: expression.value }
    case 'vector-selector':
      return {
        kind: 'vector',
        series: selectInstant(selectSeries(input.series, expression.matchers), input.times),
      }
    case 'aggregation':
      return {
        kind: 'vector',
        series: aggregate(expression.operator, expression.grouping, evaluateVector(expression.operand, input)),
      }
    case 'binary':
      return applyBinary(
        {
          operator: expression.operator,
          left: evaluateNumeric(expression.left, input),
          right: evaluateNumeric(expression.right, input),
        },
        input.times,
      )
    case 'sign':
      return applySign(expression.sign, evaluateNumeric(expression.operand, input))
    case 'parentheses':
      return evaluate(expression.inner, input)
    case 'call':
      return { kind: 'vector', series: evaluateCall(expression, input) }
    case 'range-selector':
      throw typeMismatch('an instant vector, a scalar or a string', 'a range vector')
    default:
      return expression satisfies never
  }
}

function evaluateCall(call: Call, input: EvaluationInput): readonly ResultSeries[] {
  const [first, second] = call.arguments
  switch (call.name) {
    case 'rate': {
      const { selector, range } = rangeArgument(first)
      return overWindows(
        extrapolatedRate,
        { series: selectSeries(input.series, selector.matchers), range },
        input.times,
      )
    }
    case 'histogram_quantile': {
      if (first === undefined || second === undefined) throw typeMismatch('two arguments', 'fewer')
      const quantile = evaluate(first, input)
      if (quantile.kind !== 'scalar') throw typeMismatch('a scalar', quantile.kind)
      return quantilesOf(quantile.values, evaluateVector(second, input), input.times)
    }
    default:
      return call.name satisfies never
  }
}

function rangeArgument(expression: Expression | undefined): RangeSelector {
  if (expression?.kind === 'parentheses') return rangeArgument(expression.inner)
  if (expression?.kind !== 'range-selector') throw typeMismatch('a range vector', expression?.kind ?? 'nothing')
  return expression
}

function evaluateVector(expression: Expression, input: EvaluationInput): readonly ResultSeries[] {
  const value = evaluate(expression, input)
  if (value.kind !== 'vector') throw typeMismatch('an instant vector', value.kind)
  return value.series
}

function evaluateNumeric(expression: Expression, input: EvaluationInput): Exclude<Value, { kind: 'string' }> {
  const value = evaluate(expression, input)
  if (value.kind === 'string') throw typeMismatch('a scalar or an instant vector', value.kind)
  return value
}

function applySign(sign: '+' | '-', operand: Exclude<Value, { kind: 'string' }>): Value {
  if (sign === '+') return operand
  if (operand.kind === 'scalar') return { kind: 'scalar', values: operand.values.map((value) => -value) }
  const negated = operand.series.map(({ labels, values }) => ({
    labels: withoutLabels(labels, [metricNameLabel]),
    values: values.map((value) => (value === undefined ? undefined : -value)),
  }))
  return { kind: 'vector', series: mergeSameLabels(negated) }
}

function typeMismatch(expected: string, found: string): PromqlError {
  return new PromqlError('PROMQL_EVALUATION_ERROR', `expected ${expected}, found ${found}`)
}
