import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commandLine } from './shell-words.ts'

it('leaves plain words as they are', () => {
  expect(commandLine(['fairlead', 'approvals', 'approve', 'approval_1'])).toBe('fairlead approvals approve approval_1')
})

it.skipIf(process.platform === 'win32')('gives a shell exactly the words it was made from', () => {
  const words = fc
    .sample(fc.string({ unit: 'grapheme', maxLength: 20 }), { numRuns: 300, seed: 7 })
    .filter((word) => !word.includes('\0'))
  const awkward = ["it's", '$(id)', '`id`', 'a b', '', '"', '\\', '*', '~', 'line\nbreak', '-x', ...words]
  const printed = spawnSync('sh', ['-c', commandLine(['printf', '%s\\0', ...awkward])], { encoding: 'utf8' })
  expect(printed.stdout.split('\0').slice(0, -1)).toEqual(awkward)
  expect(awkward.length).toBeGreaterThan(100)
})
