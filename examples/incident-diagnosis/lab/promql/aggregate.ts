import type { Grouping } from './ast.ts'
import { addExactly, average, total } from './compensated-sum.ts'
import { groupSeries, presentAt } from './group-series.ts'
import type { AggregationOperator } from './supported-language.ts'
import type { ResultSeries } from './value.ts'

/** The aggregations that fold a group into one value. */
export type FoldOperator = Exclude<AggregationOperator, 'topk' | 'bottomk'>

/** Folds series into one per group, time by time; groups stand in the order of their first member. */
export function aggregate(
  operator: FoldOperator,
  grouping: Grouping,
  series: readonly ResultSeries[],
): readonly ResultSeries[] {
  return groupSeries(grouping, series).map(({ labels, members }) => ({
    labels,
    values: (members[0]?.values ?? []).map((_, step) => fold(operator, presentValues(members, step))),
  }))
}

function presentValues(members: readonly ResultSeries[], step: number): readonly number[] {
  return presentAt(members, step).map(({ value }) => value)
}

function fold(operator: FoldOperator, values: readonly number[]): number | undefined {
  const [first, ...rest] = values
  if (first === undefined) return undefined
  switch (operator) {
    case 'sum':
      return total(rest.reduce((sum, value) => addExactly(sum, value), { sum: first, compensation: 0 }))
    case 'avg':
      return average(first, rest)
    case 'max':
      return rest.reduce((highest, value) => (highest < value || Number.isNaN(highest) ? value : highest), first)
    case 'min':
      return rest.reduce((lowest, value) => (lowest > value || Number.isNaN(lowest) ? value : lowest), first)
    default:
      return operator satisfies never
  }
}
