import fc from 'fast-check'
import { expect, it } from 'vitest'
import { emptyLabels, makeLabels } from '../metrics/labels.ts'
import { selectTop } from './select-top.ts'

const value = fc.oneof(fc.constant(NaN), fc.integer({ min: -3, max: 3 }), fc.constant(undefined))

it('keeps as many of the best values as there are, whatever their order', () => {
  fc.assert(
    fc.property(
      fc.array(value, { maxLength: 12 }),
      fc.integer({ min: -1, max: 13 }),
      fc.constantFrom('topk', 'bottomk'),
      (values, count, operator) => {
        const series = values.map((each, index) => ({ labels: makeLabels([['i', String(index)]]), values: [each] }))
        const selection = { operator, grouping: { kind: 'by', labels: [] }, counts: [count] } as const
        const kept = selectTop(selection, series).flatMap(({ values: [each] }) => (each === undefined ? [] : [each]))
        const rank = (each: number): number => (Number.isNaN(each) ? -Infinity : operator === 'topk' ? each : -each)
        const best = values
          .filter((each) => each !== undefined)
          .toSorted((one, other) => compare(rank(other), rank(one)))
          .slice(0, Math.max(0, count))
        expect(kept).toEqual(best)
      },
    ),
  )
})

it('gives a group for each set of labels kept', () => {
  const series = ['a', 'a', 'b'].map((group, index) => ({
    labels: makeLabels([
      ['g', group],
      ['i', String(index)],
    ]),
    values: [index],
  }))
  const selection = { operator: 'topk', grouping: { kind: 'by', labels: ['g'] }, counts: [1] } as const
  const kept = selectTop(selection, series).filter(({ values: [each] }) => each !== undefined)
  expect(kept.map(({ values: [each] }) => each)).toEqual([1, 2])
  expect(selectTop(selection, [{ labels: emptyLabels, values: [undefined] }])).toEqual([])
})

function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1
}
