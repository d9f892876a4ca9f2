import type { Approval, Store } from '@fairlead/runtime/core'

/** Requests of a run that had to be asked again although a person had approved their call before, each as a sentence. */
export async function unusedApprovals(runId: string, store: Store): Promise<readonly string[]> {
  const approvals = await store.approvals.list({ runId })
  return approvals
    .filter(({ status }) => status === 'pending')
    .flatMap((pending) => {
      const before = approvals.findLast(({ callId, status }) => callId === pending.callId && status === 'approved')
      return before === undefined ? [] : [changeText(before, pending)]
    })
}

function changeText(before: Approval, now: Approval): string {
  const change =
    before.version === now.version
      ? `What ${now.tool} was approved for has changed`
      : `${now.tool} changed from version ${before.version} to ${now.version}`
  return `${change}; your approval was not used. It is asked again.`
}
