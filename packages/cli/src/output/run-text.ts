import type { Approval } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { approvalCard } from './approval-card.ts'
import { clientCallText } from './client-call-text.ts'
import { decisionCommands } from './decision-commands.ts'
import type { RunView } from './run-json.ts'
import { visibleText } from './visible-text.ts'

/** What of a run a person has seen already, so that its end need not repeat it. */
export type Shown = {
  /** The last text of the assistant; `null` when none was shown. */
  readonly text: string | null
  /** Ids of the requests that were asked about on the terminal. */
  readonly requests: ReadonlySet<string>
}

function pendingText(approval: Approval, context: CommandContext, beside: { justRead: string; shown: Shown }): string {
  const commands = decisionCommands(approval.id, context)
  if (beside.shown.requests.has(approval.id)) return commands
  return `${approvalCard(approval, context.output.colours, beside)}\n${commands}`
}

function waiting(count: number, what: string): string {
  return count === 1 ? `One call waits for ${what}:` : `${count} calls wait for ${what}:`
}

/** A stopped run for a person: its text, what waits for a decision or an answer, and where to look; less what was `shown`. */
export function runText(run: RunView, context: CommandContext, shown: Shown): string {
  const { output } = context
  const { bold, dim } = output.colours
  const blocks: string[] = []
  const text = run.text.trim()
  if (text !== '' && text !== shown.text) blocks.push(visibleText(text))
  if (run.approvals.length > 0) blocks.push(bold(waiting(run.approvals.length, 'a decision')))
  for (const approval of run.approvals) blocks.push(pendingText(approval, context, { justRead: run.text, shown }))
  if (run.clientCalls.length > 0)
    blocks.push(
      bold(
        waiting(
          run.clientCalls.length,
          run.clientCalls.length === 1 ? 'its result from you' : 'their results from you',
        ),
      ),
    )
  for (const call of run.clientCalls) blocks.push(clientCallText(call, context))
  if (!output.quiet) {
    const trace = context.commandFor(['trace', 'show', run.runId])
    blocks.push(dim(`Run ${run.runId} stopped: ${run.stopReason ?? 'still running'}. Trace: ${trace}`))
  }
  return blocks.join('\n\n')
}
