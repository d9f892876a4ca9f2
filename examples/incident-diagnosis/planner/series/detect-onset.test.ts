import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectOnset } from './detect-onset.ts'
import { findSegments } from './find-segments.ts'
import type { Point } from './series.ts'

const limits = { ratio: 1.5, rise: 0.01 }
const series = (values: readonly number[]): readonly Point[] => values.map((value, index) => [index * 60, value])
const repeated = (value: number, times: number) => Array.from({ length: times }, () => value)

describe('detectOnset', () => {
  it('finds a step at any place, level and height, through noise', () => {
    const step = fc.record({
      before: fc.integer({ min: 4, max: 30 }),
      after: fc.integer({ min: 4, max: 30 }),
      level: fc.double({ min: 0.05, max: 50, noNaN: true }),
      factor: fc.double({ min: 2, max: 20, noNaN: true }),
      noise: fc.array(fc.double({ min: -0.06, max: 0.06, noNaN: true }), { minLength: 60, maxLength: 60 }),
    })
    fc.assert(
      fc.property(step, ({ before, after, level, factor, noise }) => {
        const values = [...repeated(level, before), ...repeated(level * factor, after)]
        const noisy = values.map((value, index) => value * (1 + (noise[index] ?? 0)))
        const rise = detectOnset(series(noisy), limits)
        expect(rise?.onset).toBe(before * 60)
        expect(noisy).toContain(rise?.before)
        expect(noisy).toContain(rise?.after)
      }),
    )
  })

  it('finds nothing in noise around a level', () => {
    const noisy = fc.array(fc.double({ min: 0.85, max: 1.15, noNaN: true }), { minLength: 6, maxLength: 90 })
    fc.assert(
      fc.property(noisy, (values) => {
        expect(detectOnset(series(values), limits)).toBeNull()
      }),
    )
  })

  it('finds the foot of a climb', () => {
    const climb = [1, 2, 3, 4, 5].map((part) => 1 + part)
    expect(detectOnset(series([...repeated(1, 20), ...climb, ...repeated(6, 20)]), limits)?.onset).toBe(20 * 60)
  })

  it('finds a rise that is over before the end', () => {
    const rise = detectOnset(series([...repeated(1, 20), ...repeated(6, 8), ...repeated(1, 20)]), limits)
    expect(rise).toEqual({ onset: 20 * 60, before: 1, after: 6 })
  })

  it('ignores a single outlier, before and without a rise', () => {
    expect(detectOnset(series([...repeated(1, 9), 40, ...repeated(1, 20)]), limits)).toBeNull()
    const both = [...repeated(1, 9), 40, ...repeated(1, 10), ...repeated(5, 10)]
    expect(detectOnset(series(both), limits)?.onset).toBe(20 * 60)
  })

  it.each([
    ['a fall', [...repeated(6, 10), ...repeated(1, 10)]],
    ['too few points', [1, 1, 9, 9, 9]],
    ['a rise under the limits', [...repeated(0.001, 10), ...repeated(0.005, 10)]],
    ['nothing', []],
  ])('finds no rise in %s', (_name, values) => {
    expect(detectOnset(series(values), limits)).toBeNull()
  })
})

describe('findSegments', () => {
  it('cuts a series of even level nowhere', () => {
    expect(findSegments(repeated(2, 30))).toEqual([])
  })

  it('cuts three levels twice', () => {
    expect(findSegments([...repeated(1, 10), ...repeated(9, 10), ...repeated(4, 10)])).toEqual([10, 20])
  })
})
