import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extrapolatedRate } from './extrapolated-rate.ts'

/** Samples as [second, value] in a window of seconds. */
function rateOf(start: number, end: number, samples: readonly (readonly [number, number])[]): number | undefined {
  return extrapolatedRate({
    start: start * 1000,
    end: end * 1000,
    timestamps: Float64Array.from(samples, ([time]) => time * 1000),
    values: Float64Array.from(samples, ([, value]) => value),
  })
}

describe('extrapolatedRate', () => {
  it.each([
    // Both edges are within 1.1 intervals: the increase of 30 in 30 s is stretched to all 55 s.
    { what: 'to both edges', end: 55, first: 10, every: 15, values: [100, 115, 130], expected: (30 * (55 / 30)) / 55 },
    // 40 s to the start are more than 1.1 times 10 s: only half an interval is added there.
    {
      what: 'little at a far edge',
      end: 60,
      first: 40,
      every: 10,
      values: [100, 110, 120],
      expected: (20 * (25 / 20)) / 60,
    },
    // At 2 per 10 s from 1 the counter was zero 5 s before the first sample, not 10.
    { what: 'not beyond its zero', end: 30, first: 10, every: 10, values: [1, 3, 5], expected: (4 * (25 / 20)) / 30 },
    // 12 to 3 is a reset: 3 - 10 + 12 = 5 in 20 s.
    { what: 'over a reset', end: 40, first: 10, every: 10, values: [10, 12, 3], expected: (5 * (40 / 20)) / 40 },
  ])('stretches the increase $what', ({ end, first, every, values, expected }) => {
    const samples = values.map((value, index) => [first + every * index, value] as const)
    expect(rateOf(0, end, samples)).toBeCloseTo(expected, 12)
  })

  it.each([[[]], [[[10, 5]]]] as const)('has no value for %j', (samples) => {
    expect(rateOf(0, 60, samples)).toBeUndefined()
  })

  it('is zero for a counter that stands still', () => {
    expect(
      rateOf(0, 60, [
        [10, 5],
        [30, 5],
        [50, 5],
      ]),
    ).toBe(0)
  })

  it('finds the slope of every evenly read straight line far from zero', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 50 }),
        fc.integer({ min: 1, max: 1000 }),
        (interval, count, slope) => {
          const samples = Array.from({ length: count }, (_, index) => {
            const time = (index + 1) * interval
            return [time, 1e7 + slope * time] as const
          })
          const rate = rateOf(0, (count + 1) * interval, samples) ?? NaN
          expect(Math.abs(rate - slope)).toBeLessThan(slope * 1e-6)
        },
      ),
    )
  })

  it('is never negative, whatever a counter does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 30 }), (values) => {
        const samples = values.map((value, index) => [index * 10 + 5, value] as const)
        expect(rateOf(0, values.length * 10, samples)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
