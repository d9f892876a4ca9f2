import { metricNameLabel, onlyLabels, withoutLabels } from '../metrics/labels.ts'
import type { Labels } from '../metrics/labels.ts'
import type { Grouping } from './ast.ts'
import type { ResultSeries } from './value.ts'

/** Series that agree in the labels a grouping keeps; never empty. */
export interface SeriesGroup {
  readonly labels: Labels
  readonly members: readonly ResultSeries[]
}

/** One series of a group that has a value at the time looked at. */
export interface PresentSeries {
  readonly member: ResultSeries
  readonly value: number
}

/** Splits series into groups, which stand in the order of their first member. */
export function groupSeries(grouping: Grouping, series: readonly ResultSeries[]): readonly SeriesGroup[] {
  const groups = new Map<string, { readonly labels: Labels; readonly members: ResultSeries[] }>()
  for (const member of series) {
    const labels = groupLabels(grouping, member.labels)
    const group = groups.get(labels.key)
    if (group === undefined) groups.set(labels.key, { labels, members: [member] })
    else group.members.push(member)
  }
  return [...groups.values()]
}

/** The members with a value at a step, in their order. */
export function presentAt(members: readonly ResultSeries[], step: number): readonly PresentSeries[] {
  return members.flatMap((member) => {
    const value = member.values[step]
    return value === undefined ? [] : [{ member, value }]
  })
}

function groupLabels(grouping: Grouping, labels: Labels): Labels {
  return grouping.kind === 'by'
    ? onlyLabels(labels, grouping.labels)
    : withoutLabels(labels, [...grouping.labels, metricNameLabel])
}
