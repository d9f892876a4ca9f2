import { runIdOf, type CallId, type CallRecord, type RunRecord, type Store } from '@fairlead/runtime/core'

/** A call with the run it belongs to. */
export type FoundCall = { readonly run: RunRecord; readonly call: CallRecord }

/** A call by its id as it was typed; `undefined` where the store has none. */
export async function findCall(id: string, store: Store): Promise<FoundCall | undefined> {
  if (!/^call_.+_\d+_\d+$/.test(id)) return undefined
  // The form is checked above; whether there is such a call is what the store says.
  const run = await store.journal.run(runIdOf(id as CallId))
  if (run === undefined) return undefined
  const call = (await store.journal.calls(run.id)).find((known) => known.id === id)
  return call === undefined ? undefined : { run, call }
}
