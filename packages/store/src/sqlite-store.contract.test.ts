import { rm } from 'node:fs/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContractCases } from '@fairlead/runtime/testing'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

describe('the SQLite store', () => {
  for (const { name, run } of storeContractCases) {
    it(`passes: ${name}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'fairlead-store-'))
      const file = join(folder, 'store.db')
      const made = run(async () => ({
        store: sqliteStore({ file }),
        reopen: async () => sqliteStore({ file }),
        dispose: () => rm(folder, { recursive: true, force: true }),
      }))
      await expect(made).resolves.toBeUndefined()
    })
  }

  it('was run through the whole contract', () => {
    expect(storeContractCases.length).toBeGreaterThan(55)
  })
})
