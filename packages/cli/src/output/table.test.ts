import { expect, it } from 'vitest'
import { table } from './table.ts'

it('aligns columns and leaves no blanks at the end of a line', () => {
  expect(
    table(
      ['ID', 'STATUS', 'X'],
      [
        ['a', 'pending', 'yes'],
        ['longer', 'ok', ''],
      ],
    ),
  ).toBe('ID      STATUS   X\na       pending  yes\nlonger  ok')
})
