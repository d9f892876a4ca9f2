import { setImmediate } from 'node:timers/promises'
import type { BatchFate } from './commit-batches.ts'
import type { EncodedBatch } from './encode-batch.ts'

/** Writes batches in the order they came, as many together as were waiting. */
export interface CommitQueue {
  /** Resolves when the batch is durable; rejects with what refused it. */
  append(batch: EncodedBatch): Promise<void>
  /** Resolves when nothing waits and nothing is being written. Never rejects. */
  idle(): Promise<void>
}

type Waiting = { readonly batch: EncodedBatch; readonly resolve: () => void; readonly reject: (error: unknown) => void }

/** Bounds how long one transaction keeps the event loop and the other processes waiting. */
const batchesPerCommit = 128

/**
 * Joins the batches of all writers waiting in one turn of the event loop, or while a commit is running, into one call
 * of `commit`. When `commit` rejects, every batch of that call is rejected with the same error and the next go on.
 */
export function commitQueue(commit: (batches: readonly EncodedBatch[]) => Promise<readonly BatchFate[]>): CommitQueue {
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await setImmediate()
      await commitTogether(waiting.splice(0, batchesPerCommit))
    }
    draining = undefined
  }

  async function commitTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const fates = await commit(group.map((one) => one.batch))
      for (const [index, one] of group.entries()) settle(one, fates[index])
    } catch (error) {
      for (const one of group) one.reject(error)
    }
  }

  return {
    append(batch) {
      return new Promise((resolve, reject) => {
        waiting.push({ batch, resolve, reject })
        draining ??= drain()
      })
    },
    async idle() {
      while (draining !== undefined) await draining
    },
  }
}

function settle({ resolve, reject }: Waiting, fate: BatchFate | undefined): void {
  if (fate?.kind === 'written') resolve()
  else reject(fate?.error ?? new Error('A batch was neither written nor refused.'))
}
