/** One label: its name and its value, which is never empty (an empty value means the label is absent). */
export type LabelEntry = readonly [name: string, value: string]

/** The labels of a series, sorted by name; two sets are the same series exactly when their `key` is equal. */
export interface Labels {
  readonly key: string
  readonly entries: readonly LabelEntry[]
}

/** How many labels one series or log line may have in a data folder. */
export const mostLabels = 1000

/** The label that holds a series' metric name. */
export const metricNameLabel = '__name__'

/** The label that holds a histogram bucket's upper bound. */
export const bucketLabel = 'le'

/** The set without any label. */
export const emptyLabels: Labels = { key: '[]', entries: [] }

/** Makes a label set from entries in any order; empty values are dropped. A name given twice is the caller's error and kept twice. */
export function makeLabels(entries: Iterable<LabelEntry>): Labels {
  const sorted = [...entries]
    .filter(([, value]) => value !== '')
    .toSorted(([left], [right]) => compareText(left, right))
  return { key: JSON.stringify(sorted), entries: sorted }
}

/** The value of a label, or the empty string when the set has no such label. */
export function labelValue(labels: Labels, name: string): string {
  return labels.entries.find(([candidate]) => candidate === name)?.[1] ?? ''
}

/** The set without the named labels. */
export function withoutLabels(labels: Labels, names: readonly string[]): Labels {
  return makeLabels(labels.entries.filter(([name]) => !names.includes(name)))
}

/** The set with only the named labels. */
export function onlyLabels(labels: Labels, names: readonly string[]): Labels {
  return makeLabels(labels.entries.filter(([name]) => names.includes(name)))
}

/** The set as a plain object, the form of both HTTP APIs. */
export function labelsToObject(labels: Labels): Record<string, string> {
  return Object.fromEntries(labels.entries)
}

/** Order of label sets: entry by entry, first names then values; a prefix comes before what extends it. */
export function compareLabels(left: Labels, right: Labels): number {
  for (const [index, [leftName, leftValue]] of left.entries.entries()) {
    const other = right.entries[index]
    if (other === undefined) return 1
    const order = compareText(leftName, other[0]) || compareText(leftValue, other[1])
    if (order !== 0) return order
  }
  return left.entries.length - right.entries.length
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
