import { judgedNow } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, requestFailure, type ExitCode } from '../exit.ts'
import { approvalCard } from '../output/approval-card.ts'
import { approvalJson } from '../output/approval-json.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead approvals show ID`: one request as it was shown, and what became of it. */
export async function approvalsShowCommand(id: string, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const stored = await opened?.store.approvals.get(id)
  if (stored === undefined) throw requestFailure(`There is no approval request ${id} in ${context.store.file}.`)
  const approval = judgedNow(stored, context.host.clock.now())
  output.result(approvalCard(approval, output.colours))
  output.document(approvalJson(approval))
  return exitCode.ok
}
