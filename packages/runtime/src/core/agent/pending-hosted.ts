import type { HostedApprovalResponsePart } from '../content/content-part.ts'
import { openHostedRequests } from '../content/hosted-approvals.ts'
import type { Message } from '../content/message.ts'

/**
 * A provider's own request: it wants to carry out a call of one of its tools, and waits for a person. Fairlead passes
 * question and answer on; no policy of its own judged the call. Answers are data: hand them to `agent.run`.
 */
export type PendingHostedApproval = {
  /** The provider's id of the request. */
  readonly id: string
  /** As the provider tells them; `null` where it tells nothing. Text of the model: it may be any. */
  readonly tool: string | null
  readonly arguments: string | null
  approve(decision: { readonly by: string; readonly reason?: string }): HostedApprovalResponsePart
  deny(decision: { readonly by: string; readonly reason: string }): HostedApprovalResponsePart
}

/** What a conversation ends with, ready to be answered. */
export function pendingHosted(messages: readonly Message[], runId: string): readonly PendingHostedApproval[] {
  return openHostedRequests(messages).map(({ request, call }): PendingHostedApproval => {
    const part = { kind: 'hosted_approval_response', id: request.id, runId } as const
    return {
      id: request.id,
      tool: call?.name ?? null,
      arguments: call?.arguments ?? null,
      approve: ({ by, reason }) => ({ ...part, approved: true, by, ...(reason === undefined ? {} : { reason }) }),
      deny: ({ by, reason }) => ({ ...part, approved: false, by, reason }),
    }
  })
}
