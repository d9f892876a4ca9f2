import type { Grouping } from './ast.ts'
import { groupSeries, presentAt } from './group-series.ts'
import type { PresentSeries } from './group-series.ts'
import { PromqlError } from './promql-error.ts'
import type { ResultSeries } from './value.ts'

const beyondInt64 = 2 ** 63

/** Which series of each group to keep: how many at each time, and from which end. */
export interface Selection {
  readonly operator: 'topk' | 'bottomk'
  readonly grouping: Grouping
  readonly counts: readonly number[]
}

/**
 * Keeps at each time the highest (or lowest) values of each group, with all their labels; NaN is chosen last.
 *
 * Of equal values those are kept that Prometheus 3 keeps, whose heap this follows. At a single time the series stand in the order
 * of their values. A count that is NaN or no 64-bit integer throws a PromqlError; below 1 nothing is kept.
 */
export function selectTop(
  { operator, grouping, counts }: Selection,
  series: readonly ResultSeries[],
): readonly ResultSeries[] {
  const limits = counts.map((count) => limitOf(count))
  const before = operator === 'topk' ? isLower : isHigher
  return groupSeries(grouping, series).flatMap(({ members }) => {
    const kept = limits.map((limit, step) => keepBest(presentAt(members, step), limit, before))
    const only = kept.length === 1 ? kept[0] : undefined
    const ordered = only === undefined ? members : bestFirst(only, before).map(({ member }) => member)
    const sets = kept.map((each) => new Set(each.map(({ member }) => member)))
    return ordered.map((member) => ({
      labels: member.labels,
      values: member.values.map((value, step) => (sets[step]?.has(member) === true ? value : undefined)),
    }))
  })
}

/** Whether one value is given up before another. */
type Before = (one: number, other: number) => boolean

const isLower: Before = (one, other) => Number.isNaN(one) || one < other
const isHigher: Before = (one, other) => Number.isNaN(one) || one > other

function limitOf(count: number): number {
  if (Number.isNaN(count)) throw new PromqlError('PROMQL_EVALUATION_ERROR', 'Parameter value is NaN')
  if (count >= beyondInt64 || count <= -beyondInt64) {
    throw new PromqlError('PROMQL_EVALUATION_ERROR', `Scalar value ${count} overflows int64`)
  }
  return Math.trunc(count)
}

function keepBest(candidates: readonly PresentSeries[], limit: number, before: Before): readonly PresentSeries[] {
  const heap: PresentSeries[] = []
  if (limit < 1) return heap
  for (const candidate of candidates) {
    const worst = heap[0]
    if (worst === undefined || heap.length < limit) {
      heap.push(candidate)
      siftUp(heap, before)
    } else if (before(worst.value, candidate.value) && !(Number.isNaN(worst.value) && Number.isNaN(candidate.value))) {
      heap[0] = candidate
      siftDown(heap, before)
    }
  }
  return heap
}

/** Moves the last element up to its place. */
function siftUp(heap: PresentSeries[], before: Before): void {
  let child = heap.length - 1
  while (child > 0) {
    const parent = (child - 1) >>> 1
    if (!swapWhenBefore(heap, child, parent, before)) return
    child = parent
  }
}

/** Moves the first element down to its place. */
function siftDown(heap: PresentSeries[], before: Before): void {
  let parent = 0
  for (;;) {
    const [left, right] = [heap[2 * parent + 1], heap[2 * parent + 2]]
    if (left === undefined) return
    const child = right !== undefined && before(right.value, left.value) ? 2 * parent + 2 : 2 * parent + 1
    if (!swapWhenBefore(heap, child, parent, before)) return
    parent = child
  }
}

function swapWhenBefore(heap: PresentSeries[], child: number, parent: number, before: Before): boolean {
  const [low, high] = [heap[child], heap[parent]]
  if (low === undefined || high === undefined || !before(low.value, high.value)) return false
  heap[child] = high
  heap[parent] = low
  return true
}

function bestFirst(kept: readonly PresentSeries[], before: Before): readonly PresentSeries[] {
  const order = (one: PresentSeries, other: PresentSeries): number => {
    if (Object.is(one.value, other.value) || one.value === other.value) return 0
    return before(other.value, one.value) ? -1 : 1
  }
  return kept.toSorted(order)
}
