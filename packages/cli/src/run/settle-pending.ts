import type { Agent, ApprovalAnswer, ApprovalVerdict, PendingApproval, RunResult } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { approvalCard, settlementText } from '../output/approval-card.ts'
import { dryRunRows } from '../output/dry-run-rows.ts'
import { issueLine } from '../output/visible-text.ts'
import { approvalView } from './approval-view.ts'
import { askApproval, type Offer } from './ask-approval.ts'
import { askArguments } from './ask-arguments.ts'
import { dryRun } from './dry-run.ts'
import { tellRemembered } from './tell-remembered.ts'

/** Longer than this nobody wants to wait for a look at what a call would do. */
const dryRunLimitMs = 5000

type Asking = {
  readonly agent: Agent
  readonly context: CommandContext
  readonly signal: AbortSignal
}

type Settled = 'answered' | 'remembered' | 'open' | 'left'

/** What came of the questions about one stop of a run: how many were answered, and whether its next stop asks again. */
export type SettledRequests = { readonly answered: number; readonly asksAgain: boolean }

/**
 * Asks about each pending request in turn and records the answers; who skipped one, or left, is not asked about it again.
 * After an answer that is remembered the run goes on first: the new rule may answer what is still open.
 */
export async function settlePending(
  { approvals, text, runId }: RunResult,
  asking: Asking & { readonly asked: Set<string> },
): Promise<SettledRequests> {
  let answered = 0
  for (const approval of approvals) {
    if (asking.signal.aborted) break
    if (asking.asked.has(approval.id)) continue
    asking.asked.add(approval.id)
    const settled = await settleOne(approval, { text, runId }, asking)
    if (settled === 'left') return { answered, asksAgain: false }
    if (settled === 'open') continue
    answered += 1
    if (settled === 'remembered') return { answered, asksAgain: true }
  }
  return { answered, asksAgain: answered === approvals.length }
}

async function settleOne(
  approval: PendingApproval,
  result: Pick<RunResult, 'text' | 'runId'>,
  asking: Asking,
): Promise<Settled> {
  const { agent, context, signal } = asking
  const { output, host } = context
  const { terminal, clock } = host
  const run = await agent.store.journal.run(approval.runId)
  const root = await agent.store.journal.run(result.runId)
  // What an agent inside a call would run is known to that agent alone.
  const rehearsed =
    run === undefined || run.parent !== null
      ? []
      : dryRunRows(await dryRun(agent, { approval, run }, { limitMs: dryRunLimitMs, signal }))
  const view = await approvalView(approval, agent.store)
  const beside = { justRead: result.text, now: clock.now(), dryRun: rehearsed }
  output.result(approvalCard(view, output.colours, beside))
  const contract = agent.tools().find(({ name }) => name === approval.tool)
  const offer: Offer = {
    // A call made by name has no conversation that goes on.
    remember: approval.askedBy !== 'batch' && root?.kind !== 'call',
    edit: contract?.editable !== false,
  }
  for (;;) {
    const answer = await askApproval(approval, offer, { terminal, output, signal })
    switch (answer.kind) {
      case 'skip':
        return 'open'
      case 'leave':
        return 'left'
      case 'deny':
        return record({ ...by(context), id: approval.id, approved: false, reason: answer.reason }, asking)
      case 'approve': {
        const remember = answer.remember === null ? {} : { remember: { what: answer.remember } }
        return record({ ...by(context), id: approval.id, approved: true, ...remember }, asking)
      }
      case 'edit': {
        const edited = await settleEdited(approval, asking)
        if (edited === 'back') break
        return edited
      }
      default:
        return answer satisfies never
    }
  }
}

function by({ principal }: CommandContext): Pick<ApprovalAnswer, 'by'> {
  return { by: principal.id }
}

/** Asks for other arguments until they fit the tool, or the person goes back. */
async function settleEdited(approval: PendingApproval, asking: Asking): Promise<Settled | 'back'> {
  const { agent, context, signal } = asking
  const { output, host } = context
  let draft = JSON.stringify(approval.arguments)
  for (;;) {
    const typed = await askArguments(draft, { terminal: host.terminal, output, signal })
    if (typed.kind === 'back') return 'back'
    if (typed.kind === 'leave') return 'left'
    const verdict = await agent.decide({ ...by(context), id: approval.id, approved: true, edit: typed.value })
    if (verdict.kind !== 'invalid') return told(verdict, asking)
    output.result(`Nothing was recorded: ${issueLine(verdict.because)}.`)
    draft = typed.text
  }
}

async function record(answer: ApprovalAnswer, asking: Asking): Promise<Settled> {
  const verdict = await asking.agent.decide(answer)
  if (answer.remember !== undefined && verdict.kind === 'decided') {
    await tellRemembered(answer.id, verdict.approval.tool, asking.agent.store, asking.context)
    return 'remembered'
  }
  return told(verdict, asking)
}

/** Says what a person could not know: that somebody else was first, or that the answer cannot be taken. */
function told(verdict: ApprovalVerdict, { context }: Asking): Settled {
  const { output } = context
  switch (verdict.kind) {
    case 'decided':
      return 'answered'
    case 'already':
    case 'expired':
      output.note(`Request ${verdict.approval.id} was settled meanwhile: ${settlementText(verdict.approval)}.`)
      return 'answered'
    case 'invalid':
      output.result(`Nothing was recorded: ${issueLine(verdict.because)}.`)
      return 'open'
    case 'ended':
      output.note(
        `The run of request ${verdict.approval.id} has ended meanwhile (${verdict.stopReason ?? '?'}): nothing was recorded.`,
      )
      return 'open'
    case 'unknown':
      output.note(`Request ${verdict.id} is gone from the store.`)
      return 'open'
    default:
      return verdict satisfies never
  }
}
