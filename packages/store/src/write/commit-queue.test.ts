import { FairleadError } from '@fairlead/runtime/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commitQueue } from './commit-queue.ts'
import type { BatchFate } from './commit-batches.ts'
import { encodeBatch } from './encode-batch.ts'
import type { EncodedBatch } from './encode-batch.ts'

function numbered(at: number): EncodedBatch {
  return encodeBatch([{ kind: 'session-created', sessionId: `session_${at}`, at }])
}

function numberOf(batch: EncodedBatch | undefined): number {
  const [step] = batch?.steps ?? []
  return step?.kind === 'session-created' ? step.row.created_at : -1
}

describe('the commit queue', () => {
  it('goes on in order after a commit that failed', async () => {
    const commits: (readonly number[])[] = []
    const queue = commitQueue(async (batches) => {
      commits.push(batches.map(numberOf))
      if (commits.length === 1) throw new Error('disk full')
      return batches.map((): BatchFate => ({ kind: 'written' }))
    })
    const failing = [queue.append(numbered(1)), queue.append(numbered(2))]
    const outcomes = await Promise.allSettled(failing)
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected'])
    await Promise.all([queue.append(numbered(3)), queue.append(numbered(4))])
    expect(commits).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('joins what arrives while a commit is running', async () => {
    const commits: (readonly number[])[] = []
    let release: () => void = () => undefined
    let started: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const running = new Promise<void>((resolve) => (started = resolve))
    const queue = commitQueue(async (batches) => {
      commits.push(batches.map(numberOf))
      started()
      await held
      return batches.map((): BatchFate => ({ kind: 'written' }))
    })
    const appended = [queue.append(numbered(1))]
    await running
    for (const at of [2, 3, 4]) appended.push(queue.append(numbered(at)))
    release()
    await Promise.all(appended)
    expect(commits).toEqual([[1], [2, 3, 4]])
  })

  it('is idle only when everything was settled, whatever failed', async () => {
    const queue = commitQueue(async () => {
      throw new Error('disk full')
    })
    await queue.idle()
    const settled: number[] = []
    const appended = [1, 2, 3].map((at) => queue.append(numbered(at)).catch(() => settled.push(at)))
    await queue.idle()
    await Promise.all(appended)
    expect(settled).toEqual([1, 2, 3])
  })

  it('rejects a batch the commit said nothing about', async () => {
    const queue = commitQueue(async () => [])
    await expect(queue.append(numbered(1))).rejects.toThrow('neither written nor refused')
  })

  it('commits every batch once and in order, and gives each its own fate', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ refused: fc.boolean(), pause: fc.integer({ min: 0, max: 3 }) }), { maxLength: 300 }),
        async (plans) => {
          const committed: number[] = []
          const queue = commitQueue(async (batches) => {
            committed.push(...batches.map(numberOf))
            return batches.map((batch): BatchFate =>
              plans[numberOf(batch)]?.refused === true
                ? { kind: 'refused', error: new FairleadError('STORE_UNAVAILABLE', 'no') }
                : { kind: 'written' },
            )
          })
          const appended: Promise<unknown>[] = []
          for (const [at, { pause }] of plans.entries()) {
            appended.push(
              queue.append(numbered(at)).then(
                () => false,
                () => true,
              ),
            )
            for (let tick = 0; tick < pause; tick++) await Promise.resolve()
          }
          expect(await Promise.all(appended)).toEqual(plans.map((one) => one.refused))
          expect(committed).toEqual(plans.map((_, at) => at))
        },
      ),
      { numRuns: 50 },
    )
  })
})
