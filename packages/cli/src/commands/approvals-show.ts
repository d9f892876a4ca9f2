import { judgedNow } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { approvalCard } from '../output/approval-card.ts'
import { shownApprovalJson } from '../output/approval-json.ts'
import { decisionCommands } from '../output/decision-commands.ts'
import { approvalView } from '../run/approval-view.ts'
import { openExistingStore } from '../store-location.ts'

/** `fairlead approvals show ID`: one request as it was shown, how to decide it, or what became of it and its call. */
export async function approvalsShowCommand(id: string, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const stored = await opened?.store.approvals.get(id)
  if (opened === undefined || stored === undefined) {
    throw notInStore(`approval request ${id}`, context.store, opened)
  }
  const approval = await approvalView(judgedNow(stored, context.host.clock.now()), opened.store)
  const calls = await opened.store.journal.calls(approval.runId)
  const call = calls.find((known) => known.id === approval.callId)
  output.result(approvalCard(approval, output.colours, { call, now: context.host.clock.now() }))
  if (approval.status === 'pending') output.result(decisionCommands(approval, context))
  output.document(shownApprovalJson(approval, call))
  return exitCode.ok
}
