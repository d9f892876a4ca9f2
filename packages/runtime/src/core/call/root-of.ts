import type { Store } from '../ports/journal.ts'

/** More runs than may ever lie inside one another. */
const mostHops = 64

/** The run a host started, above one that runs inside a call; the run itself where there is none. */
export async function rootOf(store: Store, runId: string): Promise<string> {
  let id = runId
  for (let hops = 0; hops < mostHops; hops++) {
    const parent = (await store.journal.run(id))?.parent
    if (parent === null || parent === undefined) return id
    id = parent.runId
  }
  return id
}

/** What an agent inside a call asks belongs to the conversation its outermost run is of. */
export async function isOfSession(store: Store, runId: string, sessionId: string): Promise<boolean> {
  const root = await store.journal.run(await rootOf(store, runId))
  return root?.sessionId === sessionId
}
