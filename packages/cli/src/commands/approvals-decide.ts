import { decideApproval, FairleadError, type Approval, type Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure, exitCode, requestFailure, usageFailure, type ExitCode } from '../exit.ts'
import { settlementText } from '../output/approval-card.ts'
import { runJson } from '../output/run-json.ts'
import { goOn } from '../run/go-on.ts'
import { resumeHint } from '../run/resume-hint.ts'
import { recordedRunView } from '../run/run-view.ts'
import { openExistingStore } from '../store-location.ts'

/** A person's decision as it was typed. */
export type TypedDecision = {
  readonly id: string
  readonly approved: boolean
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

async function recordDecision(decision: TypedDecision, store: Store, context: CommandContext): Promise<Approval> {
  const { id, approved, by, reason } = decision
  const answer = { id, approved, by: by ?? context.principal.id, ...(reason === undefined ? {} : { reason }) }
  const recorded = await decideApproval(store, answer, { clock: context.host.clock })
  switch (recorded.kind) {
    case 'decided':
      return recorded.approval
    case 'unknown':
      throw requestFailure(`There is no approval request ${id} in ${context.store.file}.`)
    case 'already':
    case 'expired': {
      const hint = await resumeHint(recorded.approval.runId, store, context)
      throw requestFailure(`Request ${id} is settled already: ${settlementText(recorded.approval)}.${hint}`)
    }
    default:
      return recorded satisfies never
  }
}

async function goOnElsewhere(approval: Approval, store: Store, context: CommandContext): Promise<ExitCode> {
  const run = await store.journal.run(approval.runId)
  const told = `The decision is recorded. Another process is working on run ${approval.runId}; it goes on there.`
  context.output.result(told)
  if (context.output.json) context.output.note(told)
  if (run !== undefined) context.output.document(runJson(await recordedRunView(run, store, context.host.clock)))
  return exitCode.ok
}

/**
 * `fairlead approvals approve` and `deny`: records the decision first, so that nothing after it can lose it, then goes
 * on with the run in this process. A request that is settled, expired or unknown fails and runs nothing.
 */
export async function approvalsDecideCommand(decision: TypedDecision, context: CommandContext): Promise<ExitCode> {
  if (decision.by?.trim() === '') throw usageFailure('--by expects a name.')
  if (decision.reason?.trim() === '') throw usageFailure('--reason expects a text; the model is told it.')
  await using opened = await openExistingStore(context.store)
  if (opened === undefined) {
    throw requestFailure(`There is no approval request ${decision.id}: there is no store at ${context.store.file} yet.`)
  }
  const { store } = opened
  const approval = await recordDecision(decision, store, context)
  const run = await store.journal.run(approval.runId)
  if (run === undefined)
    throw requestFailure(`The decision is recorded, but its run ${approval.runId} is not in the store.`)
  try {
    return await goOn(run, context, { store, mayAsk: false })
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'RUN_BUSY')
      return await goOnElsewhere(approval, store, context)
    if (!(error instanceof CommandFailure) && !(error instanceof FairleadError)) throw error
    const hint = await resumeHint(run.id, store, context)
    const exit = error instanceof CommandFailure ? error.exit : exitCode.failed
    throw new CommandFailure(exit, `The decision is recorded, but the run did not go on: ${error.message}${hint}`, {
      cause: error,
    })
  }
}
