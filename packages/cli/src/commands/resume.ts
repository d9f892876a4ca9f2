import { FairleadError } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { requestFailure, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { goOn } from '../run/go-on.ts'
import { reassembleAgent } from '../run/reassemble-agent.ts'
import { rootRun } from '../run/root-run.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead resume RUN`: goes on with a run whose process died, or whose approvals are settled. */
export async function resumeCommand(runId: string, choice: ModelChoice, context: CommandContext): Promise<ExitCode> {
  await using opened = await openExistingStore(context.store)
  const run = await opened?.store.journal.run(runId)
  if (opened === undefined || run === undefined) {
    throw notInStore(`run ${runId}`, context.store, opened, ` See: ${context.commandFor(['trace', 'list'])}`)
  }
  const { root } = await rootRun(run, opened.store)
  if (root.status === 'ended') {
    throw requestFailure(
      `Run ${runId} has ended (${root.stopReason ?? 'unknown reason'}); there is nothing to go on with.`,
    )
  }
  try {
    const assembled = await reassembleAgent(root, choice, context)
    return await goOn(root, context, { store: opened.store, assembled, mayAsk: true })
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'RUN_BUSY') {
      throw requestFailure(`Another process is working on run ${runId}; it goes on there.`, error)
    }
    throw error
  }
}
