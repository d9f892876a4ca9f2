import type { Clock, Store } from '@fairlead/runtime/core'
import { currentApprovals } from './current-approvals.ts'
import { rootRun } from './root-run.ts'

/** Whether a run, or one of an agent inside its calls, waits for a decision or for a result from the host. */
export async function waitsForPerson(rootId: string, store: Store, clock: Clock): Promise<boolean> {
  const approvals = await currentApprovals(store, { clock, status: 'pending' })
  const calls = await store.journal.callsInState(['AwaitingClient'])
  const runIds = new Set([...approvals, ...calls].map(({ runId }) => runId))
  for (const runId of runIds) {
    const run = await store.journal.run(runId)
    if (run !== undefined && (await rootRun(run, store)).root.id === rootId) return true
  }
  return false
}
