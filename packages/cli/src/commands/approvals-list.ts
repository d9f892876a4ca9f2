import type { Approval, ApprovalStatus } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { noStoreText } from '../not-in-store.ts'
import { approvalJson } from '../output/approval-json.ts'
import { relativeTime } from '../output/relative-time.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { table } from '../output/table.ts'
import { visibleLine } from '../output/visible-text.ts'
import { currentApprovals } from '../run/current-approvals.ts'
import { openExistingStore } from '../store-location.ts'

function approvalsTable(approvals: readonly Approval[], now: number): string {
  const rows = approvals.map((approval) => [
    approval.id,
    approval.status,
    visibleLine(approval.tool),
    approval.risk,
    approval.status === 'pending'
      ? `${rfc3339(approval.expiresAt)} (${relativeTime(approval.expiresAt, now)})`
      : rfc3339(approval.expiresAt),
    visibleLine(JSON.stringify(approval.arguments), 80),
  ])
  return table(['REQUEST', 'STATUS', 'TOOL', 'RISK', 'EXPIRES', 'ARGUMENTS'], rows)
}

/** `fairlead approvals list`: the requests of one status, or of every status, oldest first. */
export async function approvalsListCommand(status: ApprovalStatus | 'all', context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const filter = { clock: context.host.clock, ...(status === 'all' ? {} : { status }) }
  const approvals = opened === undefined ? [] : await currentApprovals(opened.store, filter)
  output.document({ items: approvals.map(approvalJson) })
  if (opened === undefined) output.missing(noStoreText(context.store))
  else if (approvals.length > 0) output.result(approvalsTable(approvals, context.host.clock.now()))
  else output.result(status === 'all' ? 'There are no approval requests.' : `There are no ${status} approval requests.`)
  return exitCode.ok
}
