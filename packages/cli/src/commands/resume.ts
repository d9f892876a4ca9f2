import { FairleadError } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { requestFailure, type ExitCode } from '../exit.ts'
import { goOn } from '../run/go-on.ts'
import { reassembleAgent } from '../run/reassemble-agent.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead resume RUN`: goes on with a run whose process died, or whose approvals are settled. */
export async function resumeCommand(runId: string, context: CommandContext): Promise<ExitCode> {
  await using opened = await openExistingStore(context.store)
  const run = await opened?.store.journal.run(runId)
  if (opened === undefined || run === undefined) {
    throw requestFailure(
      `There is no run ${runId} in ${context.store.file}. See: ${context.commandFor(['trace', 'list'])}`,
    )
  }
  if (run.status === 'ended') {
    throw requestFailure(
      `Run ${runId} has ended (${run.stopReason ?? 'unknown reason'}); there is nothing to go on with.`,
    )
  }
  try {
    const assembled = await reassembleAgent(run, context)
    return await goOn(run, context, { store: opened.store, assembled, mayAsk: true })
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'RUN_BUSY') {
      throw requestFailure(`Another process is working on run ${runId}; it goes on there.`, error)
    }
    throw error
  }
}
