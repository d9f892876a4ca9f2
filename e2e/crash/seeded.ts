/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** From 0 up to, but not, 1. */
  next(): number
  /** A whole number from 0 up to, but not, `below`. */
  below(below: number): number
  /** True this often. */
  chance(often: number): boolean
  pick<T>(from: readonly [T, ...T[]]): T
}

/** Mulberry32: small, good enough for tests, the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (often) => next() < often,
    pick: (from) => from[below(from.length)] ?? from[0],
  }
}
