import type { RiseLimits } from './detect-onset.ts'

/** What counts as slower: six tenths as much again, and at least 5 ms. */
export const slower: RiseLimits = { ratio: 1.6, rise: 0.005 }

/** What counts as more requests: half as many again. */
export const moreRequests: RiseLimits = { ratio: 1.5, rise: 0.01 }

/** What counts as more failed requests: twice the ratio, and at least one in a hundred more. */
export const moreFailures: RiseLimits = { ratio: 2, rise: 0.01 }

/** What counts as more log lines of a kind: three times as many in a bin, and at least one more. */
export const moreLines: RiseLimits = { ratio: 3, rise: 1 }
