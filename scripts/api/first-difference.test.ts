import { expect, it } from 'vitest'
import { firstDifference } from './first-difference.ts'

it.each([
  ['a changed line', 'a\nb\nc', 'a\nx\nc', 'line 2:\n  - b\n  + x'],
  ['a new line at the end', 'a', 'a\nb', 'line 2:\n  - (end)\n  + b'],
  ['a line that is gone', 'a\nb', 'a', 'line 2:\n  - b\n  + (end)'],
  ['everything new', '', 'a', 'line 1:\n  - \n  + a'],
])('shows %s', (_name, kept, made, shown) => expect(firstDifference(kept, made)).toBe(shown))

it('is undefined for the same text', () => expect(firstDifference('a\nb', 'a\nb')).toBeUndefined())
