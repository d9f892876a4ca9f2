import { canonicalJson, type Approval, type Store } from '@fairlead/runtime/core'
import type { ApprovalView } from '../output/approval-json.ts'
import { isForeign } from './config-words.ts'
import { rootRun } from './root-run.ts'

/**
 * A request with the agents it came through, who began its run and, where its call was asked about before, what it was
 * then.
 */
export async function approvalView(approval: Approval, store: Store): Promise<ApprovalView> {
  const run = await store.journal.run(approval.runId)
  const { root, path } = run === undefined ? { root: run, path: [] } : await rootRun(run, store)
  const earlier = (await store.approvals.list({ runId: approval.runId })).findLast(
    (known) => known.callId === approval.callId && known.id !== approval.id && known.createdAt <= approval.createdAt,
  )
  const isChanged = earlier !== undefined && canonicalJson(earlier.arguments) !== canonicalJson(approval.arguments)
  return { ...approval, path, before: isChanged ? earlier.arguments : null, isForeign: isForeign(root) }
}

/** The same for several. */
export async function approvalViews(approvals: readonly Approval[], store: Store): Promise<readonly ApprovalView[]> {
  const views: ApprovalView[] = []
  for (const approval of approvals) views.push(await approvalView(approval, store))
  return views
}
