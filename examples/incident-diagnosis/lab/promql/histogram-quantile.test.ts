import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogramQuantile } from './histogram-quantile.ts'
import type { Bucket } from './histogram-quantile.ts'

function buckets(...pairs: readonly (readonly [number, number])[]): readonly Bucket[] {
  return pairs.map(([upperBound, count]) => ({ upperBound, count }))
}

describe('histogramQuantile', () => {
  it.each([
    ['within a bucket', 0.5, buckets([1, 0], [3, 10], [Infinity, 10]), 2],
    ['from zero in the lowest bucket', 0.25, buckets([2, 10], [Infinity, 10]), 0.5],
    ['the bound of a lowest bucket at or below zero', 0.1, buckets([-1, 5], [2, 10], [Infinity, 10]), -1],
    ['the highest finite bound beyond it', 0.99, buckets([1, 5], [2, 6], [Infinity, 100]), 2],
    ['buckets in any order', 0.5, buckets([Infinity, 10], [3, 10], [1, 0]), 2],
    ['equal bounds added up', 0.5, buckets([1, 2], [1, 3], [2, 10], [Infinity, 10]), 1],
    ['a fall levelled', 0.5, buckets([1, 8], [2, 6], [4, 10], [Infinity, 10]), 0.625],
    ['a rise that is only rounding levelled', 1, buckets([1, 10], [2, 10 + 1e-12], [Infinity, 10]), 1],
    ['no +Inf bucket', 0.5, buckets([1, 5], [2, 10]), NaN],
    ['only the +Inf bucket', 0.5, buckets([Infinity, 10]), NaN],
    ['no observation', 0.5, buckets([1, 0], [Infinity, 0]), NaN],
    ['no bucket', 0.5, [], NaN],
    ['a quantile of 0 over an empty lowest bucket', 0, buckets([1, 0], [2, 5], [Infinity, 5]), NaN],
    ['a quantile below 0', -0.1, buckets([1, 5], [Infinity, 10]), -Infinity],
    ['a quantile above 1', 1.1, buckets([1, 5], [Infinity, 10]), Infinity],
    ['a NaN quantile', NaN, buckets([1, 5], [Infinity, 10]), NaN],
  ])('handles %s', (_, quantile, given, expected) => {
    expect(histogramQuantile(quantile, given)).toBe(expected)
  })

  it('lies in the bucket that holds the rank, and rises with the quantile', () => {
    const upperBounds = [0.1, 0.5, 1, 5, Infinity]
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 5, maxLength: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (increments, one, other) => {
          const counts = increments.map((_, index) => increments.slice(0, index + 1).reduce((sum, n) => sum + n, 0))
          const total = counts.at(-1) ?? 0
          fc.pre(total > 0)
          const given = upperBounds.map((upperBound, index) => ({ upperBound, count: counts[index] ?? 0 }))
          const [low, high] = [Math.min(one, other), Math.max(one, other)]
          fc.pre(low > 0)
          const found = histogramQuantile(low, given)
          const index = counts.findIndex((count) => count >= low * total)
          expect(found).toBeGreaterThanOrEqual(Math.min(upperBounds[index - 1] ?? 0, 5) - 1e-12)
          expect(found).toBeLessThanOrEqual(Math.min(upperBounds[index] ?? NaN, 5) + 1e-12)
          expect(histogramQuantile(high, given)).toBeGreaterThanOrEqual(found - 1e-9)
        },
      ),
    )
  })
})
