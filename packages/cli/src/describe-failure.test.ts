import { expect, it } from 'vitest'
import { describeFailure } from './describe-failure.ts'
import { exitCode, requestFailure, usageFailure } from './exit.ts'

it.each([
  ['a usage failure', usageFailure('Bad\nfile'), exitCode.usage, 'Bad file'],
  ['a refused request', requestFailure('Settled.'), exitCode.failed, 'Settled.'],
  ['a coded error', Object.assign(new Error('Gone.'), { code: 'RUN_ENDED' }), exitCode.failed, 'Gone. (RUN_ENDED)'],
  [
    'a store that turns out to be unusable',
    Object.assign(new Error('It is damaged.'), { code: 'STORE_UNAVAILABLE' }),
    exitCode.usage,
    'It is damaged. (STORE_UNAVAILABLE)',
  ],
  ['any other error', new TypeError('x is not\u001b[1m a function'), exitCode.failed, 'x is not<U+001B>[1m a function'],
  ['an error without words', new RangeError(), exitCode.failed, 'RangeError'],
  ['something that is no error', 'oops', exitCode.failed, 'oops'],
])('tells %s in one harmless line', (_name, thrown, exit, line) => {
  expect(describeFailure(thrown)).toMatchObject({ exit, line })
})
