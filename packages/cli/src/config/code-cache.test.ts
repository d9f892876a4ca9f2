import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeCacheFolder } from './code-cache.ts'
import { temporaryFolder } from '../../test/temporary-folder.ts'

it('makes a private folder under the cache home, else under the home', () => {
  const home = temporaryFolder()
  const folder = join(home, '.cache', 'fairlead', 'config')
  expect(codeCacheFolder({ HOME: home })).toBe(folder)
  expect(existsSync(folder)).toBe(true)
  expect(codeCacheFolder({ HOME: home, XDG_CACHE_HOME: join(home, 'x') })).toBe(join(home, 'x', 'fairlead', 'config'))
})

it.skipIf(process.platform === 'win32')('does without when others could write there, or nothing can be made', () => {
  const home = temporaryFolder()
  const folder = join(home, '.cache', 'fairlead', 'config')
  expect(codeCacheFolder({ HOME: home })).toBe(folder)
  expect(statSync(folder).mode & 0o077).toBe(0)
  chmodSync(folder, 0o777)
  expect(codeCacheFolder({ HOME: home })).toBe(false)
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(codeCacheFolder({ HOME: file })).toBe(false)
  expect(codeCacheFolder({})).toBe(false)
  expect(codeCacheFolder({ HOME: 'relative' })).toBe(false)
})
