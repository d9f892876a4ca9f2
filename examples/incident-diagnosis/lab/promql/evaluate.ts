import { metricNameLabel, withoutLabels } from '../metrics/labels.ts'
import { selectSeries } from '../metrics/stored-series.ts'
import type { StoredSeries } from '../metrics/stored-series.ts'
import { aggregate } from './aggregate.ts'
import type { Expression, RangeSelector } from './ast.ts'
import { applyBinary } from './binary-operation.ts'
import { extrapolatedIncrease, extrapolatedRate } from './extrapolated-rate.ts'
import { overWindows, quantilesOf } from './functions.ts'
import type { WindowFunction } from './functions.ts'
import { PromqlError } from './promql-error.ts'
import { selectInstant } from './select-instant.ts'
import { selectTop } from './select-top.ts'
import { mergeSameLabels } from './value.ts'
import type { EvaluationTimes, ResultSeries, Value } from './value.ts'

/** What an evaluation reads: all stored series, and the times to evaluate at. */
export interface EvaluationInput {
  readonly series: readonly StoredSeries[]
  readonly times: EvaluationTimes
}

type Call = Extract<Expression, { readonly kind: 'call' }>
type Aggregation = Extract<Expression, { readonly kind: 'aggregation' }>

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
        series: selectInstant(selectSeries(input.series, expression.matchers), shifted(input.times, expression.shift)),
      }
    case 'aggregation':
      return { kind: 'vector', series: evaluateAggregation(expression, input) }
    case 'binary':
      return applyBinary(
        {
          operator: expression.operator,
          returnsBool: expression.returnsBool,
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
    case 'rate':
      return overRange(extrapolatedRate, rangeArgument(first), input)
    case 'increase':
      return overRange(extrapolatedIncrease, rangeArgument(first), input)
    case 'histogram_quantile':
      if (second === undefined) throw typeMismatch('two arguments', 'fewer')
      return quantilesOf(evaluateScalar(first, input), evaluateVector(second, input), input.times)
    default:
      return call.name satisfies never
  }
}

function evaluateAggregation(aggregation: Aggregation, input: EvaluationInput): readonly ResultSeries[] {
  const { operator, grouping, operand, parameter } = aggregation
  if (operator !== 'topk' && operator !== 'bottomk')
    return aggregate(operator, grouping, evaluateVector(operand, input))
  const counts = evaluateScalar(parameter, input)
  return selectTop({ operator, grouping, counts }, evaluateVector(operand, input))
}

function overRange(
  apply: WindowFunction,
  { selector, range }: RangeSelector,
  input: EvaluationInput,
): readonly ResultSeries[] {
  const series = selectSeries(input.series, selector.matchers)
  return overWindows(apply, { series, range }, shifted(input.times, selector.shift))
}

function shifted(times: EvaluationTimes, shift: number): EvaluationTimes {
  return shift === 0 ? times : times.map((time) => time - shift)
}

function rangeArgument(expression: Expression | undefined): RangeSelector {
  if (expression?.kind === 'parentheses') return rangeArgument(expression.inner)
  if (expression?.kind !== 'range-selector') throw typeMismatch('a range vector', expression?.kind ?? 'nothing')
  return expression
}

function evaluateScalar(expression: Expression | undefined, input: EvaluationInput): readonly number[] {
  const value = expression === undefined ? undefined : evaluate(expression, input)
  if (value?.kind !== 'scalar') throw typeMismatch('a scalar', value?.kind ?? 'nothing')
  return value.values
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
