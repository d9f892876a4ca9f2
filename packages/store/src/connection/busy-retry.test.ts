import { describe, expect, it } from 'vitest'
import { retryWhileBusy } from './busy-retry.ts'
import { SqliteFailure } from './sqlite-failure.ts'

const busy = new SqliteFailure('busy', 'SQLITE_BUSY', 'database is locked')
const options = { file: '/somewhere/store.db', lockTimeoutMs: 10_000 }

describe('retryWhileBusy', () => {
  it('tries again until the lock is free, letting other work run in between', async () => {
    let attempts = 0
    let otherWork = 0
    const ticking = setInterval(() => otherWork++, 1)
    const value = await retryWhileBusy(options, async () => {
      attempts++
      if (attempts < 6) throw busy
      return 'done'
    })
    clearInterval(ticking)
    expect(value).toBe('done')
    expect(attempts).toBe(6)
    expect(otherWork).toBeGreaterThan(0)
  })

  it('gives up with the reason and what to do', async () => {
    const trying = retryWhileBusy({ ...options, lockTimeoutMs: 0 }, async () => {
      throw busy
    })
    await expect(trying).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('/somewhere/store.db'),
      cause: busy,
    })
  })

  it('passes every other failure on at once', async () => {
    const full = new SqliteFailure('storage', 'SQLITE_FULL', 'database or disk is full')
    let attempts = 0
    const trying = retryWhileBusy(options, async () => {
      attempts++
      throw full
    })
    await expect(trying).rejects.toBe(full)
    expect(attempts).toBe(1)
  })
})
