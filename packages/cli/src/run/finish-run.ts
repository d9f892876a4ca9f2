import type { RunResult, Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { runJson, type RunView } from '../output/run-json.ts'
import { runText } from '../output/run-text.ts'
import type { AssembledAgent } from './assemble-agent.ts'
import type { ConductedRun } from './conduct-run.ts'
import { runView } from './run-view.ts'
import { unusedApprovals } from './unused-approvals.ts'

/**
 * A run that ends because of its model or an abort has failed, and so has one that cannot go on because nobody knows
 * whether a call took effect; one that waits for a person has not.
 */
export function exitCodeOf({ stopReason }: Pick<RunResult, 'stopReason'>): ExitCode {
  const failed = stopReason === 'model_error' || stopReason === 'aborted' || stopReason === 'in_doubt'
  return failed ? exitCode.failed : exitCode.ok
}

/** Tells a person why a run did not go as hoped: its error, the answers that were refused, the approvals not used. */
export async function tellFaults(
  result: RunResult,
  view: Pick<RunView, 'error'>,
  { store, context }: { readonly store: Store; readonly context: CommandContext },
): Promise<void> {
  for (const refused of result.refused) {
    context.output.failure(`The answer to request ${refused.id} was refused: ${refused.reason}`)
  }
  for (const unused of await unusedApprovals(result.runId, store)) context.output.failure(unused)
  if (result.error !== null) context.output.failure(`The run stopped with ${result.stopReason}: ${result.error}`)
  else if (view.error !== null) context.output.failure(view.error)
}

/** Prints what came of a run, in the form of `run`, and gives the exit code. */
export async function finishRun(
  run: ConductedRun,
  assembled: AssembledAgent,
  { store, context }: { readonly store: Store; readonly context: CommandContext },
): Promise<ExitCode> {
  const { output } = context
  const view = await runView(run.result, assembled.config, { store, output })
  output.result(runText(view, context, run.shown))
  output.document(runJson(view))
  await tellFaults(run.result, view, { store, context })
  return exitCodeOf(run.result)
}
