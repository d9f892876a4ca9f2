import type {
  ContentPart,
  FunctionCallPart,
  HostedApprovalRequestPart,
  HostedApprovalResponsePart,
} from './content-part.ts'
import type { Message } from './message.ts'

/** A provider's request that nobody answered yet, and the call it is about where the same turn tells of it. */
export type OpenHostedRequest = {
  readonly request: HostedApprovalRequestPart
  readonly call: FunctionCallPart | null
}

/**
 * The requests of a provider a conversation ends with: those of its last turn. Once somebody said something else they
 * are no longer open, because a provider takes the answer right after its turn or not at all.
 */
export function openHostedRequests(messages: readonly Message[]): readonly OpenHostedRequest[] {
  const index = messages.findLastIndex(({ role }) => role !== 'tool')
  const turn = messages[index]
  if (turn?.role !== 'assistant' || !turn.parts.some(isRequest)) return []
  // Two of one id could not be told apart; one whose call has its result is no longer asked.
  const results = new Set(turn.parts.flatMap((part) => (part.kind === 'function_result' ? [part.callId] : [])))
  const answered = new Set(
    messages.slice(index + 1).flatMap(({ parts }) => parts.filter(isResponse).map(({ id }) => id)),
  )
  return turn.parts.filter(isRequest).flatMap((request) => {
    if (answered.has(request.id) || results.has(request.callId)) return []
    answered.add(request.id)
    const call = turn.parts.find(
      (part): part is FunctionCallPart =>
        part.kind === 'function_call' && part.callId === request.callId && part.providerExecuted === true,
    )
    return [{ request, call: call ?? null }]
  })
}

export function isRequest(part: ContentPart): part is HostedApprovalRequestPart {
  return part.kind === 'hosted_approval_request'
}

export function isResponse(part: ContentPart): part is HostedApprovalResponsePart {
  return part.kind === 'hosted_approval_response'
}
