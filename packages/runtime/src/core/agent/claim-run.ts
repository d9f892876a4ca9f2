import type { CallRecord } from '../call/call-record.ts'
import type { Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { Journal } from '../ports/journal.ts'
import type { Lease, RunRecord } from '../ports/run-record.ts'
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
  const found = await store.journal.run(runId)
  if (found === undefined) {
    throw new FairleadError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} in this store.`)
  }
  requireOpen(found)
  const now = stages.clock.now()
  // Nobody renews a lease in memory: it stands until its run stops.
  const stands = found.lease !== null && (!store.durable || now < found.lease.until)
  if (found.lease !== null && stands && !workers.isGone(found.lease.worker)) {
    throw new FairleadError(
      'RUN_BUSY',
      `Run ${runId} is being worked on by another process, which holds it until ${new Date(found.lease.until).toISOString()}. Try again later.`,
    )
  }
  const worker = workers.identity(stages.ids.next('worker'))
  const lease = { worker, until: now + leaseMs }
  const claimed = await takeHold(store.journal, { runId, expectedLease: found.lease, lease })
  const stored = (await store.sessions.get(claimed.sessionId))?.messages ?? []
  const calls = await store.journal.calls(runId)
  // The results of a finished batch are written with the next commit: a last assistant message is an open batch.
  const openCalls = stored.at(-1)?.role === 'assistant' ? calls.filter((call) => call.turn === claimed.turns) : []
  return { run: claimed, worker, stored, openCalls, pastCalls: calls }
}

/**
 * The claim first, then the record: what was read before may be old, because somebody else may have gone on with the run
 * and let go of it again since. Nobody writes it while it is held.
 */
async function takeHold(
  journal: Journal,
  claim: { readonly runId: string; readonly expectedLease: Lease | null; readonly lease: Lease },
): Promise<RunRecord> {
  const { runId, expectedLease, lease } = claim
  try {
    await journal.append([{ kind: 'run-claimed', runId, expectedLease, lease }])
    const run = await journal.run(runId)
    if (run?.lease?.worker !== lease.worker) throw new JournalConflict('run-claimed', `run ${runId} is held by another`)
    if (run.status === 'ended') {
      await journal.append([{ kind: 'run-claimed', runId, expectedLease: lease, lease: null }])
      requireOpen(run)
    }
    if (run.status === 'running') return run
    const claimed: RunRecord = { ...run, status: 'running', stopReason: null, error: null }
    await journal.append([{ kind: 'run-changed', expectedStatus: run.status, worker: lease.worker, run: claimed }])
    return claimed
  } catch (error) {
    if (!(error instanceof JournalConflict)) throw error
    throw new FairleadError('RUN_BUSY', `Run ${runId} was just taken up by another process.`, { cause: error })
  }
}

function requireOpen({ id, status, stopReason }: RunRecord): void {
  if (status !== 'ended') return
  const reason = stopReason ?? 'unknown'
  throw new FairleadError('RUN_ENDED', `Run ${id} has ended (${reason}); there is nothing to go on with.`)
}
