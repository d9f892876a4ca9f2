import type { Approval, ApprovalStatus, Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { noStoreText } from '../not-in-store.ts'
import { approvalJson } from '../output/approval-json.ts'
import { relativeTime } from '../output/relative-time.ts'
import { rfc3339 } from '../output/rfc3339.ts'
import { table } from '../output/table.ts'
import { visibleLine } from '../output/visible-text.ts'
import { approvalViews } from '../run/approval-view.ts'
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
    visibleLine(JSON.stringify(approval.edited?.arguments ?? approval.arguments), 80),
  ])
  return table(['REQUEST', 'STATUS', 'TOOL', 'RISK', 'EXPIRES', 'ARGUMENTS'], rows)
}

/** `fairlead approvals list`: the requests of one status, or of every status, oldest first. */
export async function approvalsListCommand(status: ApprovalStatus | 'all', context: CommandContext): Promise<ExitCode> {
  const { output } = context
  await using opened = await openExistingStore(context.store)
  const filter = { clock: context.host.clock, ...(status === 'all' ? {} : { status }) }
  const approvals = opened === undefined ? [] : await currentApprovals(opened.store, filter)
  const views = opened === undefined ? [] : await approvalViews(approvals, opened.store)
  output.document({ items: views.map(approvalJson) })
  if (opened === undefined) output.missing(noStoreText(context.store))
  else if (approvals.length > 0) output.result(approvalsTable(approvals, context.host.clock.now()))
  else output.result(status === 'all' ? 'There are no approval requests.' : `There are no ${status} approval requests.`)
  if (opened !== undefined) await tellDoubts(opened.store, context)
  return exitCode.ok
}

/** Runs that wait for no decision but for what became of a call: whoever looks here looks for what waits. */
async function tellDoubts(store: Store, context: CommandContext): Promise<void> {
  const calls = await store.journal.callsInState(['Unknown'])
  const [first, ...others] = calls.filter(({ result }) => result === null)
  if (first === undefined) return
  const told =
    others.length === 0
      ? `Call ${first.id} is in doubt, and its run waits. Say what became of it: ${context.commandFor(['calls', 'resolve', first.id, '--done'])} (or --not-done, or --retry)`
      : `${others.length + 1} calls are in doubt, and their runs wait. See: ${context.commandFor(['calls', 'list', '--state', 'Unknown'])}`
  context.output.note(told)
}
