import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commandLine } from './shell-words.ts'

it('leaves plain words as they are', () => {
  expect(commandLine(['fairlead', 'approvals', 'approve', 'approval_1'])).toBe('fairlead approvals approve approval_1')
})

it('writes no hidden character, so that pasting does nothing but give the words', () => {
  const line = commandLine(['cd', "a\n\u001b[2J\u202e'\\x"])
  expect(line).toBe(String.raw`cd $'a\012\033[2J\342\200\256\'\\x'`)
})

it.skipIf(process.platform === 'win32')('gives a shell exactly the words it was made from', () => {
  const words = fc
    .sample(fc.string({ unit: 'grapheme', maxLength: 20 }), { numRuns: 300, seed: 7 })
    .filter((word) => !word.includes('\0'))
  const awkward = [
    "it's",
    '$(id)',
    '`id`',
    'a b',
    '',
    '"',
    '\\',
    '*',
    '~',
    'line\nbreak',
    '\u001b[31m1',
    '\u2028',
    "\u00ad'\\012",
    '-x',
    ...words,
  ]
  const printed = spawnSync('bash', ['-c', commandLine(['printf', '%s\\0', ...awkward])], { encoding: 'utf8' })
  expect(printed.stdout.split('\0').slice(0, -1)).toEqual(awkward)
  expect(awkward.length).toBeGreaterThan(100)
})
