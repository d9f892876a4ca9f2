import type { CommandContext } from '../command-context.ts'
import { approvalCard } from './approval-card.ts'
import type { ApprovalView } from './approval-json.ts'
import { clientCallText } from './client-call-text.ts'
import { decisionCommands } from './decision-commands.ts'
import { doubtfulCallText } from './doubtful-call-text.ts'
import { resolveCommands } from './resolve-commands.ts'
import { hostedAdvice, hostedApprovalText } from './hosted-approval-text.ts'
import type { RunView } from './run-json.ts'
import { visibleText } from './visible-text.ts'

/** What of a run a person has seen already, so that its end need not repeat it. */
export type Shown = {
  /** The last text of the assistant; `null` when none was shown. */
  readonly text: string | null
  /** Ids of the requests that were asked about on the terminal. */
  readonly requests: ReadonlySet<string>
}

function pendingText(
  approval: ApprovalView,
  context: CommandContext,
  beside: { justRead: string; shown: Shown },
): string {
  const commands = decisionCommands(approval, context)
  if (beside.shown.requests.has(approval.id)) return commands
  return `${approvalCard(approval, context.output.colours, { ...beside, now: context.host.clock.now() })}\n${commands}`
}

function waiting(count: number, what: string): string {
  return count === 1 ? `One call waits for ${what}:` : `${count} calls wait for ${what}:`
}

function doubtHead({ callsInDoubt }: RunView): string {
  return callsInDoubt.length === 1
    ? 'One call is in doubt: it was under way when its process or its time ended, so it may have taken effect, or not.'
    : `${callsInDoubt.length} calls are in doubt: they were under way when their process or their time ended, so they may have taken effect, or not.`
}

const doubtAdvice =
  'Look at what such a call changes; it is never repeated by itself. The run goes on when you have said what you found.'

function endText({ callEnd, stopReason }: RunView): string {
  if (stopReason === 'answered' && callEnd !== null) return callEnd
  return `stopped: ${stopReason ?? 'still running'}`
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
  for (const request of run.hostedApprovals) blocks.push(hostedApprovalText(request, output.colours))
  if (run.hostedApprovals.length > 0) blocks.push(hostedAdvice)
  if (run.clientCalls.length > 0)
    blocks.push(
      bold(
        waiting(
          run.clientCalls.length,
          run.clientCalls.length === 1 ? 'its result from you' : 'their results from you',
        ),
      ),
    )
  for (const call of run.clientCalls) blocks.push(clientCallText(call, run, context))
  if (run.callsInDoubt.length > 0) blocks.push(bold(doubtHead(run)))
  for (const call of run.callsInDoubt) {
    blocks.push(
      `${doubtfulCallText(call, output.colours)}\n${resolveCommands({ ...call, isForeign: run.isForeign }, context)}`,
    )
  }
  if (run.stopReason === 'in_doubt') blocks.push(doubtAdvice)
  if (!output.quiet) {
    const trace = context.commandFor(['trace', 'show', run.runId])
    blocks.push(dim(`Run ${run.runId} ${endText(run)}. Trace: ${trace}`))
  }
  return blocks.join('\n\n')
}
