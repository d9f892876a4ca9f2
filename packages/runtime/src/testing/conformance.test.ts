import { describe, expect, it } from 'vitest'
import { Agent, memoryStore } from '../core/index.ts'
import { conformanceCases } from './conformance.ts'

describe('the conformance cases', () => {
  it('are the ten bad calls, streamed and not, and seven numbers of parallel calls', () => {
    expect(conformanceCases).toHaveLength(27)
    expect(new Set(conformanceCases.map(({ name }) => name)).size).toBe(27)
  })

  it.each(conformanceCases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await expect(one.run((parts) => new Agent({ ...parts, store: memoryStore() }))).resolves.toBeUndefined()
  })

  it('fail for an agent that answers wrongly', async () => {
    const failures: string[] = []
    for (const one of conformanceCases) {
      const leaky = one.run((parts) => new Agent({ ...parts, includeDetailedErrors: true, maxIterations: 1 }))
      await leaky.catch((error: Error) => failures.push(error.message))
    }
    expect(failures).toHaveLength(27)
  })
})
