import { FairleadError, JournalConflict } from '@fairlead/runtime/core'
import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { isFailure } from '../connection/sqlite-failure.ts'
import type { StoreTables } from '../schema/store-tables.ts'
import { applyBatch } from './apply-batch.ts'
import type { EncodedBatch } from './encode-batch.ts'

/** What became of one batch of a commit. */
export type BatchFate = { readonly kind: 'written' } | { readonly kind: 'refused'; readonly error: FairleadError }

/**
 * Writes several batches in one transaction. A batch that is refused leaves nothing behind and does not touch the
 * others. Rejects, with nothing written at all, when the storage itself fails or is busy.
 */
export async function commitBatches(
  database: Kysely<StoreTables>,
  batches: readonly EncodedBatch[],
): Promise<readonly BatchFate[]> {
  return database.transaction().execute(async (transaction) => {
    const fates: BatchFate[] = []
    for (const batch of batches) fates.push(await applyInSavepoint(transaction, batch))
    return fates
  })
}

async function applyInSavepoint(transaction: Transaction<StoreTables>, batch: EncodedBatch): Promise<BatchFate> {
  await sql`savepoint batch`.execute(transaction)
  try {
    await applyBatch(transaction, batch)
    await sql`release savepoint batch`.execute(transaction)
    return { kind: 'written' }
  } catch (error) {
    const refusal = refusalOfThisBatch(error)
    if (refusal === undefined) throw error
    await sql`rollback to savepoint batch`.execute(transaction)
    await sql`release savepoint batch`.execute(transaction)
    return { kind: 'refused', error: refusal }
  }
}

/** The error to hand to the batch's writer, or `undefined` when the failure is not the batch's own. */
function refusalOfThisBatch(error: unknown): FairleadError | undefined {
  if (error instanceof JournalConflict) return error
  if (!isFailure(error, 'refused')) return undefined
  return new FairleadError('INVALID_OPTION', `The batch holds a value that cannot be stored. ${error.message}`, {
    cause: error,
  })
}
