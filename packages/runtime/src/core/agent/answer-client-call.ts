import { AbortFan } from '../call/abort-fan.ts'
import { answerCall, recordExecution } from '../call/answer-call.ts'
import { codeFrom } from '../call/error-code.ts'
import type { Json } from '../json/json.ts'
import { runIdOf } from '../call/call-id.ts'
import { hostOutcomeOf } from '../call/host-outcome.ts'
import { LiveCall } from '../call/live-call.ts'
import { normaliseResult } from '../call/normalise-result.ts'
import type { StagePorts } from '../call/stage-ports.ts'
import type { FunctionResultPart } from '../content/content-part.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import { isRecorded } from '../ports/recorder.ts'
import type { Tool } from '../tool/tool.ts'
import { isOfSession, rootOf } from '../call/root-of.ts'
import { toolsOfRun } from './tools-of-run.ts'

/** What became of the host's answer to a call of a declaration-only tool. */
export type ClientVerdict =
  | { readonly kind: 'answered'; readonly runId: string }
  | { readonly kind: 'refused'; readonly runId: string | null; readonly reason: string }

/**
 * Records the host's result of a call that waits for it, once. The result is normalised, checked and kept as evidence
 * like any other. Nothing else runs here.
 */
export async function answerClientCall(
  answer: FunctionResultPart,
  setting: {
    readonly store: Store
    readonly stages: StagePorts
    readonly tools: ReadonlyMap<string, Tool>
    /** The result goes through function middleware when the run goes on; until then the call has no answer. */
    readonly passesMiddleware: boolean
    /** Where the host says it is: a call of another conversation is not answered there. */
    readonly session: { readonly id: string } | undefined
  },
): Promise<ClientVerdict> {
  const { store, stages, tools, session, passesMiddleware } = setting
  if (typeof answer.call !== 'string') return { kind: 'refused', runId: null, reason: 'The result names no call.' }
  const runId = runIdOf(answer.call)
  const record = (await store.journal.calls(runId)).find((call) => call.id === answer.call)
  if (record === undefined) return { kind: 'refused', runId: null, reason: 'There is no such call in this store.' }
  if (session !== undefined && !(await isOfSession(store, runId, session.id))) {
    return { kind: 'refused', runId: null, reason: 'This call belongs to another conversation.' }
  }
  if (record.state !== 'AwaitingClient') {
    return { kind: 'refused', runId, reason: `The call does not wait for a result: it is ${record.state}.` }
  }
  const root = await store.journal.run(await rootOf(store, runId))
  if (root?.status === 'ended') {
    const reason = `The run it belongs to has ended (${root.stopReason ?? 'unknown reason'}): nothing would come of it.`
    return { kind: 'refused', runId, reason }
  }
  const ofRun = await toolsOfRun(store, runId, tools)
  const call = LiveCall.stored(record, ofRun.get(record.tool) ?? null)
  const failed = answer.status === 'error'
  const { envelope, items } = normaliseResult([...answer.content])
  const text = items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('\n')
  const [only] = items
  const data =
    items.length === 1 && only !== undefined
      ? only.kind === 'data'
        ? only.data
        : only.kind === 'text'
          ? text
          : envelope.data
      : envelope.data
  const fault = failed ? null : await faultOfResult(call.tool, data)
  if (fault !== null) return { kind: 'refused', runId, reason: `The result does not fit the tool: ${fault}.` }
  const latencyMs = Math.max(0, stages.clock.now() - (record.transitions.at(-1)?.at ?? 0))
  const errorCode = failed ? codeFrom(answer.errorCode) : null
  const outcome = hostOutcomeOf({ data, errorCode, items })
  if (passesMiddleware) recordExecution(call, outcome, latencyMs, stages)
  else {
    const scope = { fan: new AbortFan(undefined), remainingMs: () => null }
    await answerCall(call, { kind: 'executed', latencyMs, outcome }, { ports: stages, scope })
  }
  try {
    if (!(await isRecorded(stages.recorder, { call: call.record, transitions: call.unsaved }))) {
      return { kind: 'refused', runId, reason: 'The result could not be recorded.' }
    }
    const entries: JournalEntry[] = []
    call.takeEntries(entries)
    await store.journal.append(entries)
    return { kind: 'answered', runId }
  } catch (error) {
    if (error instanceof JournalConflict) {
      return { kind: 'refused', runId, reason: 'The call was answered by somebody else at the same time.' }
    }
    throw error
  }
}

async function faultOfResult(tool: Tool | null, data: Json): Promise<string | null> {
  const verdict = await tool?.output?.check(structuredClone(data) as Json)
  if (verdict === undefined || verdict.kind === 'valid') return null
  return verdict.issues.map((issue) => `${issue.path === '' ? 'result' : issue.path} ${issue.message}`).join('; ')
}
