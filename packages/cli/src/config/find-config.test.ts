import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exitCode } from '../exit.ts'
import { configFileNames, findConfig } from './find-config.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'

it('finds each of the names in the working directory, TypeScript first', () => {
  const here = temporaryFolder()
  for (const name of configFileNames.toReversed()) {
    writeFileSync(join(here, name), '')
    expect(findConfig(here, {})).toEqual({ kind: 'file', file: join(here, name) })
  }
  expect(configFileNames).toHaveLength(4)
})

it.each([
  ['no configuration at all', {}, 'No fairlead.config.ts'],
  ['a file that is not there', { config: 'missing.ts' }, 'There is no configuration file at'],
  ['a folder instead of a file', { config: '.' }, 'There is no configuration file at'],
  ['two at once', { config: 'a.ts', example: 'b' }, 'not both'],
  ['an unknown example', { example: 'nope' }, 'There is no example "nope"'],
  ['a path as an example', { example: '../packages' }, 'There is no example'],
])('refuses %s as a usage failure', (_name, options, message) => {
  const here = temporaryFolder()
  expect(() => findConfig(here, options)).toThrowError(expect.objectContaining({ exit: exitCode.usage }))
  expect(() => findConfig(here, options)).toThrowError(message)
})
