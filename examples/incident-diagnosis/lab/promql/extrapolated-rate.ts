import type { RangeWindow } from './range-window.ts'

/** The per-second increase of a counter over a window, or undefined with fewer than two samples. */
export function extrapolatedRate(window: RangeWindow): number | undefined {
  const found = extrapolate(window)
  return found && found.difference * (found.stretch / ((window.end - window.start) / 1000))
}

/** The increase of a counter over a window, or undefined with fewer than two samples. */
export function extrapolatedIncrease(window: RangeWindow): number | undefined {
  const found = extrapolate(window)
  return found && found.difference * found.stretch
}

/** What the samples show of a counter's growth, and how far it must be stretched to cover the window. */
interface Extrapolation {
  readonly difference: number
  readonly stretch: number
}

/**
 * As in Prometheus: a fall of the value is a reset of the counter to zero. The increase between the first and the last sample is
 * stretched to the window's edges; where a sample is missing at an edge (a gap of 1.1 average intervals or more) only by half an
 * average interval, and to the left never beyond the point where the counter would have been zero.
 */
function extrapolate({ start, end, timestamps, values }: RangeWindow): Extrapolation | undefined {
  const last = values.length - 1
  const [firstTime, lastTime] = [timestamps[0], timestamps[last]]
  const [firstValue, lastValue] = [values[0], values[last]]
  if (last < 1 || firstTime === undefined || lastTime === undefined) return undefined
  if (firstValue === undefined || lastValue === undefined) return undefined

  const difference = withResets(lastValue - firstValue, values)
  const sampledSeconds = (lastTime - firstTime) / 1000
  const averageGap = sampledSeconds / last
  const threshold = averageGap * 1.1

  let secondsToStart = (firstTime - start) / 1000
  if (secondsToStart >= threshold) secondsToStart = averageGap / 2
  if (difference > 0 && firstValue >= 0) {
    secondsToStart = Math.min(secondsToStart, sampledSeconds * (firstValue / difference))
  }
  let secondsToEnd = (end - lastTime) / 1000
  if (secondsToEnd >= threshold) secondsToEnd = averageGap / 2

  const stretch = (sampledSeconds + secondsToStart + secondsToEnd) / sampledSeconds
  return { difference, stretch }
}

/** Adds what each reset hid, one by one in time, so that rounding equals Prometheus'. */
function withResets(difference: number, values: Float64Array): number {
  let increase = difference
  let previous = values[0] ?? 0
  for (const value of values.subarray(1)) {
    if (value < previous) increase += previous
    previous = value
  }
  return increase
}
