/** A stream of pseudo-random numbers that is the same for the same seed on every machine. */
export interface Random {
  /** A number of [0, 1). */
  next(): number
  /** A number of the standard normal distribution. */
  normal(): number
  /** How many events fall into an interval in which `mean` are expected. */
  poisson(mean: number): number
  /** One of the entries, all equally likely; the list must not be empty. */
  pick<T>(entries: readonly [T, ...T[]]): T
}

/** The stream for one purpose: adding another purpose to a scenario leaves this one's numbers as they are. Not for secrets. */
export function randomFor(seed: number, purpose: string): Random {
  const next = mulberry32(seed ^ hashText(purpose))
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    normal,
    poisson: (mean) =>
      mean < 30 ? countArrivals(mean, next) : Math.max(0, Math.round(mean + Math.sqrt(mean) * normal())),
    pick: (entries) => entries[Math.floor(next() * entries.length)] ?? entries[0],
  }
}

function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}

function countArrivals(mean: number, next: () => number): number {
  const limit = Math.exp(-mean)
  let product = next()
  let count = 0
  while (product > limit) {
    product *= next()
    count += 1
  }
  return count
}
