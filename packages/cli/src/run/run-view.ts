import type { Clock, Json, RunRecord, RunResult, Store } from '@fairlead/runtime/core'
import type { FairleadConfig } from '../config/define-config.ts'
import type { Output } from '../output/output.ts'
import type { RunView } from '../output/run-json.ts'
import { currentApprovals } from './current-approvals.ts'

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

/** A finished or suspended run as it is told, its report included. A failing `report` function is said and gives `null`. */
export function runView(result: RunResult, config: FairleadConfig, output: Output): RunView {
  return {
    runId: result.runId,
    sessionId: result.sessionId,
    stopReason: result.stopReason,
    text: result.text,
    approvals: result.approvals,
    clientCalls: result.clientCalls,
    usage: result.usage,
    report: reportOf(result, config, output),
  }
}

/** A run as its record tells it, for a run that another process works on. */
export async function recordedRunView(run: RunRecord, store: Store, clock: Clock): Promise<RunView> {
  return {
    runId: run.id,
    sessionId: run.sessionId,
    stopReason: run.status === 'running' ? null : run.stopReason,
    text: '',
    approvals: await currentApprovals(store, { clock, status: 'pending', runId: run.id }),
    clientCalls: (await store.journal.calls(run.id))
      .filter(({ state }) => state === 'AwaitingClient')
      .map(({ id, tool, arguments: args }) => ({ callId: id, tool, arguments: args ?? {} })),
    usage: run.usage,
    report: null,
  }
}
