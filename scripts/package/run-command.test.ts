import { delimiter, join } from 'node:path'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { mustRun, outsideOfNpm, runCommand } from './run-command.ts'

const here = { folder: tmpdir(), variables: process.env }

it('hides the project around it and keeps the registry, the cache and everything else', () => {
  const path = [join('', 'a', 'node_modules', '.bin'), join('', 'usr', 'bin')].join(delimiter)
  const inside = {
    npm_package_name: 'outer',
    npm_lifecycle_event: 'check',
    npm_config_local_prefix: '/outer',
    INIT_CWD: '/outer',
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_cache: '/cache',
    HOME: '/home',
    PATH: path,
  }
  expect(outsideOfNpm(inside)).toEqual({
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_cache: '/cache',
    HOME: '/home',
    PATH: join('', 'usr', 'bin'),
  })
})

it('gives back how a command ended', () => {
  const script = 'process.stdout.write("out"); process.stderr.write("error"); process.exit(3)'
  expect(runCommand(process.execPath, ['-e', script], here)).toEqual({ code: 3, out: 'out', error: 'error' })
})

it('gives back why a command did not start', () => {
  expect(runCommand('no-such-command-anywhere', [], here)).toMatchObject({
    code: -1,
    error: expect.stringContaining('ENOENT'),
  })
})

it('throws with what was written when the code is another than the expected one', () => {
  const words = ['-e', 'console.error("because"); process.exit(2)']
  expect(() => mustRun(process.execPath, words, here)).toThrow(/expected exit code 0, found 2\.\nbecause/)
  expect(mustRun(process.execPath, words, { ...here, code: 2 }).code).toBe(2)
})
