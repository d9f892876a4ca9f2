/** Why a run stopped. Every run ends with one of these; the first three keep the run open for an answer. */
export type StopReason =
  | 'approval_required'
  | 'client_tool_required'
  | 'in_doubt'
  | 'answered'
  /** A provider asks before it carries out a call of its own: {@link RunResult.hostedApprovals}. The run has ended. */
  | 'hosted_approval_required'
  | 'iteration_limit'
  | 'call_limit'
  | 'budget_limit'
  | 'error_limit'
  | 'unknown_tool'
  | 'terminated'
  | 'aborted'
  | 'length'
  | 'content_filter'
  | 'model_error'

/** True when an answer goes on with what the run was: the run itself, or the conversation where a provider asked. */
export function isAnsweredLater(reason: StopReason): boolean {
  return keepsRunOpen(reason) || reason === 'hosted_approval_required'
}

/** True when the same run goes on after an answer. */
export function keepsRunOpen(reason: StopReason): boolean {
  return reason === 'approval_required' || reason === 'client_tool_required' || reason === 'in_doubt'
}
