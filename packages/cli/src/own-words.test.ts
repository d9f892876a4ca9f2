import { expect, it } from 'vitest'
import { ownWords } from './own-words.ts'

it.each([
  ['installed', 'file:///p/node_modules/fairlead/dist/bin.js', '/p', ['fairlead'], {}],
  ['started by npx', 'file:///p/node_modules/fairlead/dist/bin.js', '/p', ['npx', 'fairlead'], { npm_command: 'exec' }],
  [
    'from sources, in the repository',
    'file:///repo/packages/cli/src/bin.ts',
    '/repo',
    ['npm', 'run', '-s', 'fairlead', '--'],
    { npm_command: 'run-script' },
  ],
  [
    'from sources, elsewhere',
    'file:///repo/packages/cli/src/bin.ts',
    '/tmp',
    ['npm', '--prefix', '/repo', 'run', '-s', 'fairlead', '--'],
    { npm_command: 'run-script' },
  ],
])('names itself so that a pasted line works: %s', (_name, url, workingDirectory, words, variables) => {
  expect(ownWords(url, workingDirectory, variables)).toEqual(words)
})
