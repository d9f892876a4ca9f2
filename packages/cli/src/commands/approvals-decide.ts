import { decideApproval, FairleadError, judgedNow, type Approval, type Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { CommandFailure, exitCode, requestFailure, usageFailure, type ExitCode } from '../exit.ts'
import { notInStore } from '../not-in-store.ts'
import { settlementText } from '../output/approval-card.ts'
import { goOn } from '../run/go-on.ts'
import { goOnElsewhere } from '../run/go-on-elsewhere.ts'
import { reassembleBeforeRecording } from '../run/reassemble-agent.ts'
import { resumeHint } from '../run/resume-hint.ts'
import { openExistingStore } from '../store-location.ts'

/** A person's decision as it was typed. */
export type TypedDecision = {
  readonly id: string
  readonly approved: boolean
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

async function settledFailure(approval: Approval, store: Store, context: CommandContext): Promise<CommandFailure> {
  // Time settles an expired request; nobody goes on with its run because of that.
  const at = approval.status === 'expired' ? null : approval.decidedAt
  const hint = await resumeHint({ runId: approval.runId, at }, store, context)
  return requestFailure(`Request ${approval.id} is settled already: ${settlementText(approval)}.${hint}`)
}

async function recordDecision(decision: TypedDecision, store: Store, context: CommandContext): Promise<void> {
  const { id, approved, by, reason } = decision
  const answer = { id, approved, by: by ?? context.principal.id, ...(reason === undefined ? {} : { reason }) }
  const recorded = await decideApproval(store, answer, { clock: context.host.clock })
  switch (recorded.kind) {
    case 'decided':
      return
    case 'unknown':
      throw requestFailure(`Request ${id} is gone from ${context.store.file}.`)
    case 'already':
    case 'expired':
      throw await settledFailure(recorded.approval, store, context)
    case 'invalid':
      throw usageFailure(`Request ${id}: ${recorded.because}.`)
    default:
      return recorded satisfies never
  }
}

/**
 * `fairlead approvals approve` and `deny`: makes sure that the run can go on, records the decision, so that nothing
 * after it can lose it, then goes on with the run in this process. A request that is settled, expired or unknown fails
 * and runs nothing; where the configuration is missing or broken nothing is recorded.
 */
export async function approvalsDecideCommand(
  decision: TypedDecision,
  choice: ModelChoice,
  context: CommandContext,
): Promise<ExitCode> {
  if (decision.by?.trim() === '') throw usageFailure('--by expects a name.')
  if (decision.reason?.trim() === '') throw usageFailure('--reason expects a text; the model is told it.')
  const { id } = decision
  await using opened = await openExistingStore(context.store)
  const stored = await opened?.store.approvals.get(id)
  if (opened === undefined || stored === undefined) throw notInStore(`approval request ${id}`, context.store, opened)
  const { store } = opened
  const approval = judgedNow(stored, context.host.clock.now())
  if (approval.status !== 'pending') throw await settledFailure(approval, store, context)
  const run = await store.journal.run(approval.runId)
  if (run === undefined) throw requestFailure(`Run ${approval.runId} of request ${id} is not in the store.`)
  const assembled = await reassembleBeforeRecording(run, choice, context)
  await recordDecision(decision, store, context)
  try {
    const callMustSucceed = decision.approved ? approval.callId : null
    return await goOn(run, context, { store, assembled, mayAsk: false, callMustSucceed })
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error
    if (error.code === 'RUN_BUSY') return await goOnElsewhere({ what: 'decision', runId: run.id }, store, context)
    const hint = await resumeHint({ runId: run.id, at: null }, store, context)
    const told = `The decision is recorded, but the run did not go on: ${error.message}${hint}`
    throw new CommandFailure(exitCode.failed, told, { cause: error })
  }
}
