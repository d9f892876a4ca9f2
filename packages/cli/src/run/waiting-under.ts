import type { Approval, CallRecord, Clock, Store } from '@fairlead/runtime/core'
import { currentApprovals } from './current-approvals.ts'
import { rootRun } from './root-run.ts'

/** What a run and the agents inside its calls wait for: decisions, and results from the host. */
export type Waiting = { readonly approvals: readonly Approval[]; readonly clientCalls: readonly CallRecord[] }

/** Reads what waits under a run that a host started. */
export async function waitingUnder(rootId: string, store: Store, clock: Clock): Promise<Waiting> {
  const approvals = await currentApprovals(store, { clock, status: 'pending' })
  const clientCalls = await store.journal.callsInState(['AwaitingClient'])
  const under = new Set<string>()
  for (const runId of new Set([...approvals, ...clientCalls].map((one) => one.runId))) {
    const run = await store.journal.run(runId)
    if (run !== undefined && (await rootRun(run, store)).root.id === rootId) under.add(runId)
  }
  return {
    approvals: approvals.filter(({ runId }) => under.has(runId)),
    clientCalls: clientCalls.filter(({ runId }) => under.has(runId)),
  }
}
