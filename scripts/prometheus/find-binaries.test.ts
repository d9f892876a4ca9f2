import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findBinaries } from './find-binaries.ts'

it('says why there is none, and fetches nothing unasked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'binaries-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })
  vi.stubEnv('PATH', folder)
  expect(findBinaries({ folder, mayFetch: false })).toEqual({
    kind: 'none',
    reason: 'no prometheus and promtool on the PATH (--install fetches the Debian package)',
  })
  expect(findBinaries({ folder, mayFetch: true })).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('the Debian package cannot be fetched') as string,
  })
})
