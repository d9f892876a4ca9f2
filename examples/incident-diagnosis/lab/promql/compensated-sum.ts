/** A running sum and the rounding error it has lost so far (Kahan's method in Neumaier's form, as Prometheus adds). */
export interface CompensatedSum {
  readonly sum: number
  readonly compensation: number
}

/** Adds a value; once the sum is infinite the lost error is forgotten. */
export function addExactly({ sum, compensation }: CompensatedSum, value: number): CompensatedSum {
  const next = sum + value
  if (next === Infinity || next === -Infinity) return { sum: next, compensation: 0 }
  const lost = Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
  return { sum: next, compensation: compensation + lost }
}

/** The sum with its lost error put back. */
export function total({ sum, compensation }: CompensatedSum): number {
  return sum + compensation
}

/**
 * The mean of a first value and the rest.
 *
 * As in Prometheus it divides the sum, and changes to a running mean from the value on that would make the sum infinite.
 */
export function average(first: number, rest: readonly number[]): number {
  let state: CompensatedSum = { sum: first, compensation: 0 }
  let count = 1
  let incremental = false
  for (const value of rest) {
    count += 1
    if (!incremental) {
      const next = addExactly(state, value)
      if (Math.abs(next.sum) !== Infinity) {
        state = next
        continue
      }
      incremental = true
      state = { sum: state.sum / (count - 1), compensation: state.compensation / (count - 1) }
    }
    const kept = (count - 1) / count
    state = addExactly({ sum: kept * state.sum, compensation: kept * state.compensation }, value / count)
  }
  return incremental ? total(state) : state.sum / count + state.compensation / count
}
