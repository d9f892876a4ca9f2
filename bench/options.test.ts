import { expect, it } from 'vitest'
import { readOptions } from './options.mjs'

const names = ['floor', 'ai7', 'schemas']

it('measures everything three times unless told otherwise', () => {
  const options = readOptions([], names)
  expect(options).toMatchObject({ json: false, quick: false, only: null })
  expect(options.measure).toMatchObject({ rounds: 3, heapRuns: 500 })
})

it('takes rounds and names, also for the short form', () => {
  const options = readOptions(['--quick', '--rounds', '2', '--only', 'ai7,schemas'], names)
  expect(options.only).toEqual(['ai7', 'schemas'])
  expect(options.measure.rounds).toBe(2)
})

it.each([['--rounds', '0'], ['--rounds', 'many'], ['--only', 'ai8'], ['--fast']])(
  'refuses %s %s and says how to call it',
  (...argv) => {
    expect(() => readOptions(argv, names)).toThrow(TypeError)
  },
)
