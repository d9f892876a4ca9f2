/**
 * Whether an effect first seen at `seen` can have begun within one step of a cause at `cause`. A sample shows only
 * that the effect began in the step before it, so up to two steps may lie between; a cause never follows its effect.
 */
export function beganWith(cause: number, seen: number, stepSeconds: number): boolean {
  return cause <= seen && seen - cause <= 2 * stepSeconds
}

/** Whether two signs were first seen at about the same time, in any order. */
export function coincide(left: number, right: number, stepSeconds: number): boolean {
  return Math.abs(left - right) <= 2 * stepSeconds
}
