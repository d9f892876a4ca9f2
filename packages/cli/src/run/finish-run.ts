import type { RunResult } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { runJson } from '../output/run-json.ts'
import { runText } from '../output/run-text.ts'
import type { AssembledAgent } from './assemble-agent.ts'
import type { ConductedRun } from './conduct-run.ts'
import { runView } from './run-view.ts'

/** A run that ends because of its model or an abort has failed; one that waits for a person has not. */
export function exitCodeOf(result: Pick<RunResult, 'stopReason'>): ExitCode {
  return result.stopReason === 'model_error' || result.stopReason === 'aborted' ? exitCode.failed : exitCode.ok
}

/** Tells a person why a run did not go as hoped: its error and the answers that were refused. */
export function tellFaults(result: RunResult, context: CommandContext): void {
  for (const refused of result.refused) {
    context.output.failure(`The answer to request ${refused.id} was refused: ${refused.reason}`)
  }
  if (result.error !== null) context.output.failure(`The run stopped with ${result.stopReason}: ${result.error}`)
  else if (result.stopReason === 'aborted') context.output.failure('The run was stopped before it finished.')
}

/** Prints what came of a run, in the form of `run`, and gives the exit code. */
export function finishRun(run: ConductedRun, assembled: AssembledAgent, context: CommandContext): ExitCode {
  const { output } = context
  const view = runView(run.result, assembled.config, output)
  output.result(runText(view, context, run.shown))
  output.document(runJson(view))
  tellFaults(run.result, context)
  return exitCodeOf(run.result)
}
