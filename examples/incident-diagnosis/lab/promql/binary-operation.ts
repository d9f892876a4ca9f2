import { metricNameLabel, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { PromqlError } from './promql-error.ts'
import { isComparison } from './supported-language.ts'
import type { ArithmeticOperator, BinaryOperator, ComparisonOperator } from './supported-language.ts'
import { mergeSameLabels } from './value.ts'
import type { EvaluationTimes, ResultSeries, Value } from './value.ts'

interface Operation {
  readonly operator: BinaryOperator
  readonly returnsBool: boolean
}

type VectorOrScalar = Exclude<Value, { readonly kind: 'string' }>

/** Two operands and the operator between them; `returnsBool` makes a comparison give 0 and 1 instead of filtering. */
export interface BinaryOperation extends Operation {
  readonly left: VectorOrScalar
  readonly right: VectorOrScalar
}

/**
 * Computes scalars, a vector with a scalar, or two vectors matched one to one on all their labels but the metric name.
 *
 * A comparison without `bool` keeps the vector's elements (the left ones of two vectors) for which it holds, with their names; other
 * vector results carry no metric name. Two candidates for one match throw a PromqlError, as in Prometheus.
 */
export function applyBinary(operation: BinaryOperation, times: EvaluationTimes): Value {
  const { left, right } = operation
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    return {
      kind: 'scalar',
      values: times.map((_, step) => outcome(operation, left.values[step], right.values[step]) ?? NaN),
    }
  }
  if (left.kind === 'vector' && right.kind === 'vector') {
    return { kind: 'vector', series: matchOneToOne(operation, { left: left.series, right: right.series }) }
  }
  const series = left.kind === 'vector' ? left.series : right.kind === 'vector' ? right.series : []
  const computed = series.map((member) => ({
    labels: filters(operation) ? member.labels : withoutLabels(member.labels, [metricNameLabel]),
    values: times.map((_, step) => {
      const own = member.values[step]
      const [one, other] = [
        left.kind === 'scalar' ? left.values[step] : own,
        right.kind === 'scalar' ? right.values[step] : own,
      ]
      return outcome(operation, one, other, own)
    }),
  }))
  return { kind: 'vector', series: mergeSameLabels(computed) }
}

function filters({ operator, returnsBool }: Operation): boolean {
  return isComparison(operator) && !returnsBool
}

/** The result of one pair of values; a filter gives `kept` (the left value unless said otherwise) where its comparison holds. */
function outcome(
  { operator, returnsBool }: Operation,
  left: number | undefined,
  right: number | undefined,
  kept: number | undefined = left,
): number | undefined {
  if (left === undefined || right === undefined) return undefined
  if (!isComparison(operator)) return compute(operator, left, right)
  const holds = compare(operator, left, right)
  if (returnsBool) return holds ? 1 : 0
  return holds ? kept : undefined
}

function compare(operator: ComparisonOperator, left: number, right: number): boolean {
  switch (operator) {
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '>':
      return left > right
    case '<':
      return left < right
    case '>=':
      return left >= right
    case '<=':
      return left <= right
    default:
      return operator satisfies never
  }
}

function compute(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return left % right
    case '^':
      return power(left, right)
    default:
      return operator satisfies never
  }
}

/** Go's `math.Pow`, which follows IEEE 754 where JavaScript's `**` gives NaN. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1
  return base ** exponent
}

interface Sides {
  readonly left: readonly ResultSeries[]
  readonly right: readonly ResultSeries[]
}

function matchOneToOne(operation: Operation, { left, right }: Sides): readonly ResultSeries[] {
  const lefts = groupBySignature(left)
  const rights = groupBySignature(right)
  rejectAmbiguous({ left, right }, rights)
  return [...lefts].flatMap(([key, { labels, members }]) => {
    const partners = rights.get(key)?.members ?? []
    const [firstMember] = members
    if (firstMember === undefined || partners.length === 0) return []
    const results = members.map((member) => ({
      labels: member.labels,
      values: member.values.map((value, step) => outcome(operation, value, present(partners, step)[0]?.values[step])),
    }))
    const values = firstMember.values.map((_, step) => onlyValue(results, step))
    return filters(operation) ? results : [{ labels, values }]
  })
}

function onlyValue(results: readonly ResultSeries[], step: number): number | undefined {
  const [found, ...others] = present(results, step)
  if (others.length > 0) {
    throw new PromqlError(
      'PROMQL_EVALUATION_ERROR',
      'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)',
    )
  }
  return found?.values[step]
}

/** Prometheus refuses double right-hand series at any time at which the left side has a value at all, matched or not. */
function rejectAmbiguous({ left, right }: Sides, rights: ReadonlyMap<string, SignatureGroup>): void {
  const steps = right[0]?.values.length ?? 0
  for (const { labels, members } of rights.values()) {
    if (members.length < 2) continue
    for (let step = 0; step < steps; step += 1) {
      const [first, second] = present(members, step)
      if (first === undefined || second === undefined || present(left, step).length === 0) continue
      const names = [first, second].map((member) => describe(member.labels)).toSorted()
      throw new PromqlError(
        'PROMQL_EVALUATION_ERROR',
        `found duplicate series for the match group ${describe(labels)} on the right hand-side of the operation: ` +
          `[${names.join(', ')}];many-to-many matching not allowed: matching labels must be unique on one side`,
      )
    }
  }
}

interface SignatureGroup {
  readonly labels: Labels
  readonly members: ResultSeries[]
}

function groupBySignature(series: readonly ResultSeries[]): ReadonlyMap<string, SignatureGroup> {
  const groups = new Map<string, SignatureGroup>()
  for (const member of series) {
    const labels = withoutLabels(member.labels, [metricNameLabel])
    const group = groups.get(labels.key)
    if (group === undefined) groups.set(labels.key, { labels, members: [member] })
    else group.members.push(member)
  }
  return groups
}

function present(members: readonly ResultSeries[], step: number): readonly ResultSeries[] {
  return members.filter(({ values }) => values[step] !== undefined)
}

function describe(labels: Labels): string {
  const name = labels.entries.find(([label]) => label === metricNameLabel)?.[1] ?? ''
  const others = labels.entries.filter(([label]) => label !== metricNameLabel)
  return `${name}{${others.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`
}
