import { deepStrictEqual, ok, rejects } from 'node:assert/strict'
import { FairleadError, JournalConflict } from '../core/index.ts'
import type { JournalEntry, Store } from '../core/index.ts'

/**
 * A store to be tested, empty. `reopen` closes the store and opens what it wrote again (durable stores only);
 * `dispose` takes away files and servers. The suite closes every store it was given.
 */
export type StoreUnderTest = {
  readonly store: Store
  readonly reopen?: () => Promise<Store>
  readonly dispose?: () => Promise<void>
}

export type MakeStore = () => Promise<StoreUnderTest>

/** One thing every store does. `run` makes its own store and rejects with an assertion error when the store differs. */
export type StoreContractCase = { readonly name: string; readonly run: (makeStore: MakeStore) => Promise<void> }

/** A case whose body gets a fresh store, which is closed afterwards whatever happens. */
export function storeCase(
  name: string,
  body: (store: Store, under: StoreUnderTest) => Promise<void>,
): StoreContractCase {
  return {
    name,
    async run(makeStore) {
      const under = await makeStore()
      try {
        await body(under.store, under)
      } finally {
        await under.store.close()
        await under.dispose?.()
      }
    },
  }
}

/** Asserts that the batch is refused because of an entry of this kind. */
export async function refuses(store: Store, kind: JournalEntry['kind'], batch: readonly JournalEntry[]): Promise<void> {
  await rejects(store.journal.append(batch), (error: unknown) => {
    ok(error instanceof FairleadError, `expected a FairleadError, found ${String(error)}`)
    deepStrictEqual(error.code, 'JOURNAL_CONFLICT')
    ok(error instanceof JournalConflict)
    deepStrictEqual(error.entry, kind)
    return true
  })
}
