import { describe, expect, it } from 'vitest'
import { randomFor } from './random.ts'

const draw = (count: number, next: () => number): readonly number[] => Array.from({ length: count }, next)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('randomFor', () => {
  it('gives the same numbers for the same seed and purpose only', () => {
    const first = draw(20, randomFor(1, 'a').next)
    expect(draw(20, randomFor(1, 'a').next)).toEqual(first)
    expect(draw(20, randomFor(1, 'b').next)).not.toEqual(first)
    expect(draw(20, randomFor(2, 'a').next)).not.toEqual(first)
  })

  it('spreads numbers evenly over [0, 1)', () => {
    const values = draw(10_000, randomFor(3, 'even').next)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(1)
    expect(mean(values)).toBeCloseTo(0.5, 1)
  })

  it('draws normal numbers around 0 with deviation 1', () => {
    const values = draw(10_000, randomFor(4, 'normal').normal)
    expect(mean(values)).toBeCloseTo(0, 1)
    expect(mean(values.map((value) => value ** 2))).toBeCloseTo(1, 1)
  })

  it.each([0, 0.01, 2, 29, 600])('counts about %d events where so many are expected', (expected) => {
    const random = randomFor(5, 'events')
    const counts = draw(5_000, () => random.poisson(expected))
    expect(counts.every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
    expect(Math.abs(mean(counts) - expected)).toBeLessThanOrEqual(Math.sqrt(expected / 5_000) * 4)
  })

  it('picks every entry', () => {
    const random = randomFor(6, 'pick')
    expect(new Set(draw(100, () => random.pick([1, 2, 3])))).toEqual(new Set([1, 2, 3]))
  })
})
