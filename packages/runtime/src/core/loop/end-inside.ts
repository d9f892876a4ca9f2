import type { CallId } from '../call/call-id.ts'
import type { CallRecord } from '../call/call-record.ts'
import { innerSessionId } from '../call/inner-session.ts'
import { LiveCall } from '../call/live-call.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { JournalEntry } from '../ports/journal.ts'
import { isRecorded } from '../ports/recorder.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'

/**
 * Ends the run of an agent inside a call that will not go on, and those inside that: its calls are cancelled, its requests
 * withdrawn, so that nobody is asked for a consent nothing would come of. One with a call in doubt is left as it is, for a
 * person to look at; so is one that somebody took up meanwhile.
 */
export async function endInside(setup: LoopSetup, callId: CallId, because: string): Promise<void> {
  for (let tries = 1; tries < mostTries; tries++) if (await tryToEnd(setup, callId, because)) return
}

/** How often somebody else may be first (with a decision, say) before the run inside is left as it is. */
const mostTries = 5

/** True when there is nothing more to do. */
async function tryToEnd(setup: LoopSetup, callId: CallId, because: string): Promise<boolean> {
  const { store } = setup.pipeline.scope
  const [run] = await store.journal.runs({ sessionId: innerSessionId(callId), limit: 1 })
  if (run?.status !== 'suspended') return true
  const records = await store.journal.calls(run.id)
  const open = records.filter((record) => record.result === null)
  if (open.some(({ state }) => state === 'Unknown' || state === 'Executing')) return true
  for (const { id, state } of open) if (state === 'Retried') await endInside(setup, id, because)
  const ended = await cancelled(setup, open, because)
  if (ended === null) return true
  const { calls, entries } = ended
  try {
    await store.journal.append([
      ...entries,
      ...(await withdrawals(setup, run.id)),
      ...(await answers(setup, run, [...records.filter(({ result }) => result !== null), ...calls])),
      endOf(run, because, setup.pipeline.ports.clock.now()),
    ])
    return true
  } catch (error) {
    if (!(error instanceof JournalConflict)) throw error
    return false
  }
}

/** What writes the cancellation of calls; `null` where it could not be recorded. */
async function cancelled(
  { pipeline }: LoopSetup,
  open: readonly CallRecord[],
  because: string,
): Promise<{ readonly calls: readonly CallRecord[]; readonly entries: readonly JournalEntry[] } | null> {
  const calls: CallRecord[] = []
  const entries: JournalEntry[] = []
  for (const record of open) {
    const call = LiveCall.stored(record, null)
    await pipeline.cancel(call, because)
    if (!(await isRecorded(pipeline.ports.recorder, { call: call.handOut(), transitions: call.unsaved }))) return null
    call.takeEntries(entries)
    calls.push(call.record)
  }
  return { calls, entries }
}

async function withdrawals({ pipeline, approvals }: LoopSetup, runId: string): Promise<readonly JournalEntry[]> {
  const at = pipeline.ports.clock.now()
  const pending = await approvals.list({ runId, status: 'pending' })
  return pending.map(({ id }) => ({ kind: 'approval-decided', id, status: 'expired', by: null, reason: null, at }))
}

/** The results of the turn that stood open, as the message the conversation is closed with. */
async function answers(
  { pipeline }: LoopSetup,
  { id: runId, sessionId, turns }: RunRecord,
  calls: readonly CallRecord[],
): Promise<readonly JournalEntry[]> {
  const last = calls.filter(({ turn }) => turn === turns).toSorted((one, other) => one.index - other.index)
  const parts = last.flatMap(({ result }) => (result === null ? [] : [result.answer]))
  if (parts.length === 0) return []
  const known = await pipeline.scope.store.sessions.get(sessionId)
  const at = pipeline.ports.clock.now()
  const expectedCount = known?.messages.length ?? 0
  return [{ kind: 'messages-added', sessionId, runId, expectedCount, messages: [{ role: 'tool', parts }], at }]
}

function endOf(run: RunRecord, because: string, endedAt: number): JournalEntry {
  const ended: RunRecord = { ...run, status: 'ended', stopReason: 'aborted', endedAt, error: because }
  return { kind: 'run-changed', expectedStatus: 'suspended', worker: null, run: ended }
}
