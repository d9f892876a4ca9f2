/** How a quantity moves over time; the time is in seconds since 1970. Signals hold no noise: that is added where they are sampled. */
export type Signal = (time: number) => number

/** A quantity that does not move. */
export function constant(value: number): Signal {
  return () => value
}

/** A quantity that moves from one value to another, evenly over `rampSeconds` from `at` on. */
export function stepAt(step: {
  readonly at: number
  readonly before: number
  readonly after: number
  readonly rampSeconds: number
}): Signal {
  return (time) => {
    const progress = Math.min(1, Math.max(0, (time - step.at) / step.rampSeconds))
    return step.before + (step.after - step.before) * progress
  }
}

/** A quantity that swings by `share` of its value around it, once per `periodSeconds`. */
export function swinging(around: Signal, swing: { readonly share: number; readonly periodSeconds: number }): Signal {
  return (time) => around(time) * (1 + swing.share * Math.sin((2 * Math.PI * time) / swing.periodSeconds))
}

/** A quantity that is zero until `at`. */
export function startingAt(at: number, signal: Signal): Signal {
  return (time) => (time < at ? 0 : signal(time))
}
