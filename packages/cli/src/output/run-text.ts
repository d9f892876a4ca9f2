import type { Approval } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { approvalCard } from './approval-card.ts'
import type { RunView } from './run-json.ts'
import { visibleText } from './visible-text.ts'

function pendingText(approval: Approval, context: CommandContext, justRead: string): string {
  const { colours } = context.output
  const approve = context.commandFor(['approvals', 'approve', approval.id])
  const deny = context.commandFor(['approvals', 'deny', approval.id, '--reason', 'say why'])
  return [
    approvalCard(approval, colours, justRead),
    `  ${colours.green('approve')}: ${approve}`,
    `  ${colours.red('deny')}:    ${deny}`,
  ].join('\n')
}

/** A stopped run for a person: its text unless it was shown already, what waits for a decision, and where to look. */
export function runText(run: RunView, context: CommandContext, shownText: string | null): string {
  const { output } = context
  const blocks: string[] = []
  if (run.text.trim() !== '' && run.text.trim() !== shownText) blocks.push(visibleText(run.text.trim()))
  if (run.approvals.length > 0) {
    const calls = run.approvals.length === 1 ? 'One call waits' : `${run.approvals.length} calls wait`
    blocks.push(output.colours.bold(`${calls} for a decision:`))
    for (const approval of run.approvals) blocks.push(pendingText(approval, context, run.text))
  }
  if (!output.quiet) {
    const trace = context.commandFor(['trace', 'show', run.runId])
    blocks.push(output.colours.dim(`Run ${run.runId} stopped: ${run.stopReason ?? 'still running'}. Trace: ${trace}`))
  }
  return blocks.join('\n\n')
}
