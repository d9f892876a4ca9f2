import { metricNameLabel, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import { PromqlError } from './promql-error.ts'
import type { BinaryOperator } from './supported-language.ts'
import { mergeSameLabels } from './value.ts'
import type { EvaluationTimes, ResultSeries, Value } from './value.ts'

type VectorOrScalar = Exclude<Value, { readonly kind: 'string' }>

/** Two operands and the operator between them. */
export interface BinaryOperation {
  readonly operator: BinaryOperator
  readonly left: VectorOrScalar
  readonly right: VectorOrScalar
}

/**
 * Computes scalars, a vector with a scalar, or two vectors matched one to one on all their labels but the metric name.
 *
 * Vector results carry no metric name. Two candidates for one match throw a PromqlError, as in Prometheus.
 */
export function applyBinary({ operator, left, right }: BinaryOperation, times: EvaluationTimes): Value {
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    return {
      kind: 'scalar',
      values: times.map((_, step) => compute(operator, left.values[step], right.values[step]) ?? NaN),
    }
  }
  if (left.kind === 'vector' && right.kind === 'vector') {
    return { kind: 'vector', series: matchOneToOne(operator, { left: left.series, right: right.series }) }
  }
  const series = left.kind === 'vector' ? left.series : right.kind === 'vector' ? right.series : []
  const computed = series.map((member) => ({
    labels: withoutLabels(member.labels, [metricNameLabel]),
    values: times.map((_, step) => {
      const own = member.values[step]
      return compute(
        operator,
        left.kind === 'scalar' ? left.values[step] : own,
        right.kind === 'scalar' ? right.values[step] : own,
      )
    }),
  }))
  return { kind: 'vector', series: mergeSameLabels(computed) }
}

function compute(operator: BinaryOperator, left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined
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

function matchOneToOne(operator: BinaryOperator, { left, right }: Sides): readonly ResultSeries[] {
  const lefts = groupBySignature(left)
  const rights = groupBySignature(right)
  rejectAmbiguous({ left, right }, rights)
  return [...lefts].flatMap(([key, { labels, members }]) => {
    const partners = rights.get(key)?.members ?? []
    if (partners.length === 0) return []
    const values = (members[0]?.values ?? []).map((_, step) => {
      const candidates = present(members, step)
      const partner = present(partners, step)[0]
      if (partner !== undefined && candidates.length > 1) {
        throw new PromqlError(
          'PROMQL_EVALUATION_ERROR',
          'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)',
        )
      }
      return compute(operator, candidates[0]?.values[step], partner?.values[step])
    })
    return [{ labels, values }]
  })
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
