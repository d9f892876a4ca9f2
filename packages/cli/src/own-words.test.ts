import { expect, it } from 'vitest'
import { ownWords } from './own-words.ts'

const installed = 'file:///p/node_modules/fairlead/dist/bin.js'
const sources = 'file:///repo/packages/cli/src/bin.ts'

it.each([
  ['installed', installed, '/p', ['fairlead']],
  ['from sources, in the repository', sources, '/repo', ['npm', 'run', '-s', 'fairlead', '--']],
  ['from sources, elsewhere', sources, '/tmp', ['npm', '--prefix', '/repo', 'run', '-s', 'fairlead', '--']],
])('names itself so that a pasted line works: %s', (_name, url, workingDirectory, words) => {
  expect(ownWords(url, workingDirectory, { npm_command: 'run-script' })).toEqual(words)
})

it('names itself with npx when npx started it', () => {
  expect(ownWords(installed, '/p', { npm_command: 'exec' })).toEqual(['npx', 'fairlead'])
})
