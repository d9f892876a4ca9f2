import { expect, it } from 'vitest'
import { constant, startingAt, stepAt, swinging } from './signal.ts'

it('steps evenly from one value to another', () => {
  const signal = stepAt({ at: 100, before: 2, after: 6, rampSeconds: 40 })
  expect([0, 100, 110, 120, 140, 1000].map(signal)).toEqual([2, 2, 3, 4, 6, 6])
})

it('swings around a value and comes back after a period', () => {
  const signal = swinging(constant(10), { share: 0.5, periodSeconds: 400 })
  expect([0, 100, 200, 300, 400].map((time) => Math.round(signal(time)))).toEqual([10, 15, 10, 5, 10])
})

it('is zero before its start', () => {
  const signal = startingAt(50, constant(3))
  expect([0, 49, 50, 100].map(signal)).toEqual([0, 0, 3, 3])
})
