import type { Approval } from '@fairlead/runtime/core'
import { approvalCard } from '../output/approval-card.ts'
import type { Output } from '../output/output.ts'
import { visibleLine } from '../output/visible-text.ts'

/** What a person said to a request on the terminal. */
export type TerminalAnswer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'later' }

/** Shows a request and asks. Leaving the question (Ctrl-C, abort) means later, never yes. */
export async function askApproval(
  approval: Approval,
  output: Output,
  options: { readonly justRead: string; readonly signal: AbortSignal },
): Promise<TerminalAnswer> {
  const { justRead, signal } = options
  const prompts = await import('@clack/prompts')
  output.result(approvalCard(approval, output.colours, justRead))
  const answer = await prompts.select({
    message: `Run ${visibleLine(approval.tool)} with these arguments?`,
    options: [
      { value: 'later', label: 'Decide later' },
      { value: 'approve', label: 'Approve' },
      { value: 'deny', label: 'Deny' },
    ],
    signal,
  })
  if (answer === 'approve') return { kind: 'approve' }
  if (answer !== 'deny') return { kind: 'later' }
  const reason = await prompts.text({ message: 'Why not? The model is told.', placeholder: 'reason', signal })
  return typeof reason === 'string' && reason.trim() !== ''
    ? { kind: 'deny', reason: reason.trim() }
    : { kind: 'later' }
}
