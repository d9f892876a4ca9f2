import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../src/index.ts'

/** Opens a file in a process of its own, which is ended when it does not come back in time. */
function openElsewhere(file: string) {
  const script = fileURLToPath(new URL('programs/open-refused.ts', import.meta.url))
  const options = ['--conditions=@fairlead/source', '--import', 'tsx', script, file]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, options, {
    timeout: 20_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  })
  return { status, signal, stderr, told: stdout === '' ? null : (JSON.parse(stdout) as unknown) }
}

describe('a folder that cannot be made', () => {
  it.runIf(existsSync('/proc/self'))('under /proc ends with a clear error instead of never', () => {
    expect(openElsewhere('/proc/nowhere/deeper/store.db')).toEqual({
      status: 0,
      signal: null,
      stderr: '',
      told: {
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(/^Cannot open the store \/proc\/nowhere\/deeper\/store\.db: ENOENT/),
      },
    })
  })

  it('below a file, or through a link to nowhere, ends with a clear error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-refused-'))
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
    for (const [name, found] of [
      ['file', /ENOTDIR|EEXIST/],
      ['link', /EEXIST/],
    ] as const) {
      const store = sqliteStore({ file: join(folder, name, 'deeper', 'store.db') })
      await expect(store.ready()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(found),
      })
      await store.close()
    }
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('a scope that ends', () => {
  it('closes the store, whose missing folders were made for this user alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-made-'))
    const file = join(folder, 'a', 'b', 'store.db')
    const store = sqliteStore({ file })
    {
      await using scoped = store
      await scoped.ready()
      expect(await scoped.sessions.get('session_a')).toBeUndefined()
    }
    await expect(store.sessions.get('session_a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await store.close()
    for (const made of [join(folder, 'a'), join(folder, 'a', 'b')]) expect(statSync(made).mode & 0o777).toBe(0o700)
    rmSync(folder, { recursive: true, force: true })
  })
})
