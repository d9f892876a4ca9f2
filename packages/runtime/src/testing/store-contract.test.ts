import { describe, expect, it } from 'vitest'
import { memoryStore } from '../core/memory/memory-store.ts'
import { storeContractCases } from './store-contract.ts'

describe('the in-memory store', () => {
  for (const { name, run } of storeContractCases) {
    it(`passes: ${name}`, async () => {
      await expect(run(async () => ({ store: memoryStore() }))).resolves.toBeUndefined()
    })
  }
})

describe('the store contract', () => {
  it('has many cases, each under a name of its own', () => {
    const names = new Set(storeContractCases.map((one) => one.name))
    expect(names.size).toBe(storeContractCases.length)
    expect(names.size).toBeGreaterThan(55)
  })

  it('fails for a store that forgets', async () => {
    const forgetful = { ...memoryStore(), sessions: { get: async () => undefined } }
    const outcomes = await Promise.allSettled(
      storeContractCases.map(({ run }) =>
        run(async () => ({ store: { ...memoryStore(), sessions: forgetful.sessions } })),
      ),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'rejected').length).toBeGreaterThan(5)
  })
})
