import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const marked = (before: string, now: string): readonly string[] =>
  lineDiff(before, now).map(({ mark, text }) => `${mark}${text}`)

it('keeps what both have and marks the rest', () => {
  expect(marked('{\n  "a": 1,\n  "b": 2\n}', '{\n  "a": 1,\n  "b": 3\n}')).toEqual([
    ' {',
    '   "a": 1,',
    '-  "b": 2',
    '+  "b": 3',
    ' }',
  ])
})

it('holds both texts, whatever they are', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, now) => {
      const lines = lineDiff(before, now)
      const side = (gone: string): string =>
        lines
          .filter(({ mark }) => mark !== gone)
          .map((line) => line.text)
          .join('\n')
      expect(side('+')).toBe(before)
      expect(side('-')).toBe(now)
      if (before === now) expect(lines.every(({ mark }) => mark === ' ')).toBe(true)
    }),
  )
})

it('shows texts of very many lines one after the other', () => {
  const long = Array.from({ length: 600 }, (_, line) => String(line)).join('\n')
  expect(marked(long, 'x')).toEqual([...long.split('\n').map((line) => `-${line}`), '+x'])
})
