import { judgedNow, type Approval, type ApprovalStatus, type Clock, type Store } from '@fairlead/runtime/core'

/**
 * Approval requests as they stand now, the oldest first: one whose time is over counts as expired, whatever is stored.
 */
export async function currentApprovals(
  store: Store,
  filter: { readonly clock: Clock; readonly status?: ApprovalStatus; readonly runId?: string },
): Promise<readonly Approval[]> {
  const { clock, status, runId } = filter
  const stored = await store.approvals.list(runId === undefined ? {} : { runId })
  const now = clock.now()
  const judged = stored.map((approval) => judgedNow(approval, now))
  return status === undefined ? judged : judged.filter((approval) => approval.status === status)
}
