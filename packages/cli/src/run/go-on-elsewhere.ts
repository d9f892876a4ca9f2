import type { Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { runJson } from '../output/run-json.ts'
import { recordedRunView } from './run-view.ts'

/** Tells that what was recorded for a run takes effect in the process that works on it now. */
export async function goOnElsewhere(
  recorded: { readonly what: 'decision' | 'answer' | 'finding'; readonly runId: string },
  store: Store,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, host } = context
  const { what, runId } = recorded
  const told = `The ${what} is recorded. Another process is working on run ${runId}; it goes on there.`
  output.result(told)
  if (output.json) output.note(told)
  const run = await store.journal.run(runId)
  if (run !== undefined) output.document(runJson(await recordedRunView(run, store, host.clock)))
  return exitCode.ok
}
