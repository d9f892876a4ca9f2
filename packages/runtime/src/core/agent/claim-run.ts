import type { CallRecord } from '../call/call-record.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { AgentPorts } from './default-ports.ts'

/** A stored run that this process now works on. */
export type ClaimedRun = {
  readonly run: RunRecord
  readonly worker: string
  readonly stored: readonly Message[]
  /** Calls of the turn that was not finished. */
  readonly openCalls: readonly CallRecord[]
  /** Every call of the run so far. */
  readonly pastCalls: readonly CallRecord[]
}

/**
 * Takes up a stored run. Rejects with `RUN_NOT_FOUND`, `RUN_ENDED`, or `RUN_BUSY` while another process holds it that
 * is not surely gone.
 */
export async function claimRun(ports: AgentPorts, runId: string): Promise<ClaimedRun> {
  const { store, stages, workers, leaseMs } = ports
  const run = await store.journal.run(runId)
  if (run === undefined) {
    throw new FairleadError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} in this store.`)
  }
  if (run.status === 'ended') {
    const reason = run.stopReason ?? 'unknown'
    throw new FairleadError('RUN_ENDED', `Run ${runId} has ended (${reason}); there is nothing to go on with.`)
  }
  const now = stages.clock.now()
  // Nobody renews a lease in memory: it stands until its run stops.
  const stands = run.lease !== null && (!store.durable || now < run.lease.until)
  if (run.lease !== null && stands && !workers.isGone(run.lease.worker)) {
    throw new FairleadError(
      'RUN_BUSY',
      `Run ${runId} is being worked on by another process, which holds it until ${new Date(run.lease.until).toISOString()}. Try again later.`,
    )
  }
  const worker = workers.identity(stages.ids.next('worker'))
  const lease = { worker, until: now + leaseMs }
  const claimed: RunRecord = { ...run, status: 'running', stopReason: null, error: null, lease }
  try {
    await store.journal.append([
      { kind: 'run-claimed', runId, expectedLease: run.lease, lease },
      { kind: 'run-changed', expectedStatus: run.status, worker, run: claimed },
    ])
  } catch (error) {
    if (!(error instanceof JournalConflict)) throw error
    throw new FairleadError('RUN_BUSY', `Run ${runId} was just taken up by another process.`, { cause: error })
  }
  const stored = (await store.sessions.get(run.sessionId))?.messages ?? []
  const calls = await store.journal.calls(runId)
  // The results of a finished batch are written with the next commit: a last assistant message is an open batch.
  const openCalls = stored.at(-1)?.role === 'assistant' ? calls.filter((call) => call.turn === run.turns) : []
  return { run: claimed, worker, stored, openCalls, pastCalls: calls }
}
