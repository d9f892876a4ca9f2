import { middleOf } from './series.ts'

const shortest = 3

/**
 * Cuts a list of values into one, two or three stretches of even level, as indexes where a new stretch starts.
 * Single outliers are ignored. Two cuts are made only where they explain clearly more than one. No cut is judged
 * significant here. Needs six values; fewer give no cut.
 */
export function findSegments(values: readonly number[]): readonly number[] {
  if (values.length < 2 * shortest) return []
  const cost = stretchCosts(withoutSpikes(values))
  const whole = cost(0, values.length)
  const one = bestSingleCut(values.length, cost)
  const two = bestDoubleCut(values.length, cost)
  if (two !== null && two.cost < 0.4 * one.cost && two.cost < whole) return two.cuts
  return one.cost < whole ? one.cuts : []
}

type Cost = (from: number, to: number) => number
type Cutting = { readonly cuts: readonly number[]; readonly cost: number }

function withoutSpikes(values: readonly number[]): readonly number[] {
  return values.map((value, index) => middleOf([values[index - 1] ?? value, value, values[index + 1] ?? value]))
}

/** Sum of squared distances from a stretch's mean, for any stretch, from running sums. */
function stretchCosts(values: readonly number[]): Cost {
  const sums = [0]
  const squares = [0]
  for (const [index, value] of values.entries()) {
    sums.push((sums[index] ?? 0) + value)
    squares.push((squares[index] ?? 0) + value * value)
  }
  return (from, to) => {
    const sum = (sums[to] ?? 0) - (sums[from] ?? 0)
    return Math.max(0, (squares[to] ?? 0) - (squares[from] ?? 0) - (sum * sum) / (to - from))
  }
}

function bestSingleCut(length: number, cost: Cost): Cutting {
  let best: Cutting = { cuts: [], cost: Infinity }
  for (let cut = shortest; cut <= length - shortest; cut++) {
    const total = cost(0, cut) + cost(cut, length)
    if (total < best.cost) best = { cuts: [cut], cost: total }
  }
  return best
}

function bestDoubleCut(length: number, cost: Cost): Cutting | null {
  let best: Cutting | null = null
  for (let first = shortest; first <= length - 2 * shortest; first++) {
    for (let second = first + shortest; second <= length - shortest; second++) {
      const total = cost(0, first) + cost(first, second) + cost(second, length)
      if (best === null || total < best.cost) best = { cuts: [first, second], cost: total }
    }
  }
  return best
}
