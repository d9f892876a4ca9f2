import type { CallRecord, Clock, Json, RunRecord, RunResult, Store } from '@fairlead/runtime/core'
import type { FairleadConfig } from '../config/define-config.ts'
import { settledState } from '../output/call-line.ts'
import type { Output } from '../output/output.ts'
import type { DoubtfulCallView, RunView } from '../output/run-json.ts'
import { callsInDoubt, doubtText } from '../output/calls-in-doubt.ts'
import { approvalViews } from './approval-view.ts'
import { isForeign } from './config-words.ts'
import { waitingUnder } from './waiting-under.ts'

function reportOf(result: RunResult, config: FairleadConfig, output: Output): Json {
  if (config.report === undefined) return null
  try {
    // The round trip drops whatever JSON cannot carry before it is promised as JSON.
    const text: string | undefined = JSON.stringify(config.report(result))
    return text === undefined ? null : (JSON.parse(text) as Json)
  } catch (error) {
    output.failure(
      `The "report" function of the configuration failed: ${error instanceof Error ? error.message : String(error)}`,
    )
    return null
  }
}

function errorOf({ error, stopReason }: RunResult, doubtful: readonly DoubtfulCallView[]): string | null {
  if (error !== null) return error
  if (stopReason === 'in_doubt') return doubtText(doubtful)
  return stopReason === 'aborted' ? 'The run was stopped before it finished.' : null
}

/** How the one call of a run that somebody began by hand ended; `null` for a run of a model, and while it waits. */
function callEndOf(run: RunRecord | undefined, [call]: readonly CallRecord[]): RunView['callEnd'] {
  if (run?.kind !== 'call' || call?.result === undefined || call.result === null) return null
  const isRefused = settledState(call) === 'Denied'
  return call.result.status === 'error' && !isRefused ? 'failed' : 'ended'
}

/** A finished or suspended run as it is told, its report included. A failing `report` function is said and gives `null`. */
export async function runView(
  result: RunResult,
  config: FairleadConfig,
  { store, output }: { readonly store: Store; readonly output: Output },
): Promise<RunView> {
  const calls = await store.journal.calls(result.runId)
  const inside = result.inDoubt.filter(({ runId }) => runId !== result.runId)
  const doubtful = callsInDoubt([...calls, ...inside])
  const run = await store.journal.run(result.runId)
  return {
    runId: result.runId,
    sessionId: result.sessionId,
    isForeign: isForeign(run),
    stopReason: result.stopReason,
    callEnd: callEndOf(run, calls),
    text: result.text,
    approvals: await approvalViews(result.approvals, store),
    hostedApprovals: result.hostedApprovals,
    clientCalls: result.clientCalls,
    callsInDoubt: doubtful,
    usage: result.usage,
    report: reportOf(result, config, output),
    error: errorOf(result, doubtful),
  }
}

/** A run as its record tells it, for a run that another process works on. */
export async function recordedRunView(run: RunRecord, store: Store, clock: Clock): Promise<RunView> {
  const calls = await store.journal.calls(run.id)
  const waiting = await waitingUnder(run.id, store, clock)
  return {
    runId: run.id,
    sessionId: run.sessionId,
    isForeign: isForeign(run),
    stopReason: run.status === 'running' ? null : run.stopReason,
    callEnd: callEndOf(run, calls),
    text: '',
    approvals: await approvalViews(waiting.approvals, store),
    // Known to whoever drives the run: it ends with them, so another process has nothing to wait for.
    hostedApprovals: [],
    clientCalls: waiting.clientCalls.map(({ id, tool, arguments: args }) => ({
      callId: id,
      tool,
      arguments: args ?? {},
    })),
    callsInDoubt: callsInDoubt(calls),
    usage: run.usage,
    report: null,
    error: run.error,
  }
}
