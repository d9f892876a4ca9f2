import {
  isJsonObject,
  type CallId,
  type CallRecord,
  type Clock,
  type Json,
  type RunRecord,
  type Store,
} from '@fairlead/runtime/core'
import type { Trace } from '../output/trace.ts'
import { currentApprovals } from './current-approvals.ts'

/** What was thrown, as the evidence of an `INTERNAL` failure keeps it for the operator. */
function thrownText(value: Json | undefined): string | null {
  const error = isJsonObject(value) ? value['error'] : undefined
  if (!isJsonObject(error)) return null
  const { name, message } = error
  if (typeof message === 'string') return typeof name === 'string' ? `${name}: ${message}` : message
  return typeof name === 'string' ? `a thrown ${name}` : null
}

async function thrownBy(calls: readonly CallRecord[], store: Store): Promise<ReadonlyMap<CallId, string>> {
  const thrown = new Map<CallId, string>()
  for (const { id, result } of calls) {
    if (result?.errorCode !== 'INTERNAL' || result.evidenceUri === null) continue
    const text = thrownText((await store.evidence.get(result.evidenceUri))?.value)
    if (text !== null) thrown.set(id, text)
  }
  return thrown
}

/** Reads a run with its calls, requests and what its tools threw. */
export async function readTrace(run: RunRecord, store: Store, clock: Clock): Promise<Trace> {
  const calls = await store.journal.calls(run.id)
  const approvals = await currentApprovals(store, { clock, runId: run.id })
  return { run, calls, approvals, thrown: await thrownBy(calls, store) }
}
