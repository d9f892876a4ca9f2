import { metricNameLabel, onlyLabels, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import type { Grouping } from './ast.ts'
import { addExactly, average, total } from './compensated-sum.ts'
import type { AggregationOperator } from './supported-language.ts'
import type { ResultSeries } from './value.ts'

/** Folds series into one per group, time by time; groups stand in the order of their first member. */
export function aggregate(
  operator: AggregationOperator,
  grouping: Grouping,
  series: readonly ResultSeries[],
): readonly ResultSeries[] {
  const groups = new Map<string, { readonly labels: Labels; readonly members: ResultSeries[] }>()
  for (const member of series) {
    const labels = groupLabels(grouping, member.labels)
    const group = groups.get(labels.key)
    if (group === undefined) groups.set(labels.key, { labels, members: [member] })
    else group.members.push(member)
  }
  return [...groups.values()].map(({ labels, members }) => ({
    labels,
    values: (members[0]?.values ?? []).map((_, step) => fold(operator, presentValues(members, step))),
  }))
}

function groupLabels(grouping: Grouping, labels: Labels): Labels {
  return grouping.kind === 'by'
    ? onlyLabels(labels, grouping.labels)
    : withoutLabels(labels, [...grouping.labels, metricNameLabel])
}

function presentValues(members: readonly ResultSeries[], step: number): readonly number[] {
  return members.map(({ values }) => values[step]).filter((value) => value !== undefined)
}

function fold(operator: AggregationOperator, values: readonly number[]): number | undefined {
  const [first, ...rest] = values
  if (first === undefined) return undefined
  switch (operator) {
    case 'sum':
      return total(rest.reduce((sum, value) => addExactly(sum, value), { sum: first, compensation: 0 }))
    case 'avg':
      return average(first, rest)
    case 'max':
      return rest.reduce((highest, value) => (highest < value || Number.isNaN(highest) ? value : highest), first)
    default:
      return operator satisfies never
  }
}
