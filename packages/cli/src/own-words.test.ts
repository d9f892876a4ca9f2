import { expect, it } from 'vitest'
import { ownWords } from './own-words.ts'

it.each([
  ['installed', 'file:///p/node_modules/fairlead/dist/bin.js', '/p', ['fairlead']],
  [
    'from sources, in the repository',
    'file:///repo/packages/cli/src/bin.ts',
    '/repo',
    ['npm', 'run', '-s', 'fairlead', '--'],
  ],
  [
    'from sources, elsewhere',
    'file:///repo/packages/cli/src/bin.ts',
    '/tmp',
    ['npm', '--prefix', '/repo', 'run', '-s', 'fairlead', '--'],
  ],
])('names itself so that a pasted line works: %s', (_name, url, workingDirectory, words) => {
  expect(ownWords(url, workingDirectory)).toEqual(words)
})
