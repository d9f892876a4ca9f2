import { callStates, type Approval, type CallRecord, type Message, type RunRecord } from '@fairlead/runtime/core'
import { sqliteStore } from '@fairlead/store'

/** A conversation, and the run of it that a host started or that a call holds. */
export type SeenRun = {
  readonly run: RunRecord
  readonly calls: readonly CallRecord[]
  readonly approvals: readonly Approval[]
  readonly messages: readonly Message[]
}

/** Everything a store holds, as anybody can read it. */
export type Seen = {
  /** Oldest first: a run comes before those inside its calls. */
  readonly runs: readonly SeenRun[]
  /** Calls that are listed as not finished. */
  readonly open: readonly CallRecord[]
}

/** Opens the store, reads all of it and closes it again, as another process would. */
export async function lookAtStore(file: string): Promise<Seen> {
  await using store = sqliteStore({ file })
  const { journal, approvals, sessions } = store
  const runs: SeenRun[] = []
  for (const run of (await journal.runs({ limit: 1000 })).toReversed()) {
    runs.push({
      run,
      calls: await journal.calls(run.id),
      approvals: await approvals.list({ runId: run.id }),
      messages: (await sessions.get(run.sessionId))?.messages ?? [],
    })
  }
  const open = await journal.callsInState(callStates.filter((state) => state !== 'Observed'))
  return { runs, open }
}
