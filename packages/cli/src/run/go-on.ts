import type { RunRecord, Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import { conductRun } from './conduct-run.ts'
import { finishRun } from './finish-run.ts'
import { reassembleAgent } from './reassemble-agent.ts'

/** Goes on with a recorded run in this process and prints what came of it. Throws `RUN_BUSY` when another process has it. */
export async function goOn(
  run: RunRecord,
  context: CommandContext,
  options: { readonly store: Store; readonly mayAsk: boolean },
): Promise<ExitCode> {
  const { store, mayAsk } = options
  const { output } = context
  const assembled = await reassembleAgent(run, context)
  const agent = assembled.agent.with({ store })
  if (run.kind === 'agent' && agent.model?.notice !== undefined) {
    output.progress(`${output.colours.cyan('i')} ${visibleLine(agent.model.notice)}\n`)
  }
  const conducted = await conductRun(agent, context, {
    mayAsk,
    start: (signal) => agent.resume(run.id, { signal }),
  })
  return finishRun(conducted, assembled, context)
}
