import {
  FairleadError,
  judgedNow,
  type Agent,
  type Approval,
  type ApprovalAnswer,
  type Remember,
  type Store,
} from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { CommandFailure, exitCode, requestFailure, usageFailure, type ExitCode } from '../exit.ts'
import { jsonObjectOption } from '../json-option.ts'
import { notInStore } from '../not-in-store.ts'
import { settlementText } from '../output/approval-card.ts'
import { issueLine } from '../output/visible-text.ts'
import { goOn } from '../run/go-on.ts'
import { goOnElsewhere } from '../run/go-on-elsewhere.ts'
import { reassembleBeforeRecording } from '../run/reassemble-agent.ts'
import { resumeHint } from '../run/resume-hint.ts'
import { rootRun } from '../run/root-run.ts'
import { tellRemembered } from '../run/tell-remembered.ts'
import { openExistingStore } from '../store-location.ts'
import { whenOption } from '../when.ts'

/** How an approval is to be remembered, as it was typed. */
export type TypedRemember = {
  readonly remember?: 'tool' | 'arguments' | undefined
  readonly scope?: 'session' | 'user' | undefined
  readonly expires?: string | undefined
}

/** A person's decision as it was typed. */
export type TypedDecision = {
  readonly id: string
  readonly approved: boolean
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** Other arguments, as JSON. */
  readonly args?: string | undefined
  readonly remember?: TypedRemember
}

function rememberOf({ remember, scope, expires }: TypedRemember, now: number): Remember | undefined {
  if (remember !== undefined) {
    return {
      what: remember,
      ...(scope === undefined ? {} : { scope }),
      ...(expires === undefined ? {} : { expiresAt: whenOption('--expires', expires, now) }),
    }
  }
  if (scope === undefined && expires === undefined) return undefined
  throw usageFailure('--scope and --expires go with --remember: say what to remember, tool or arguments.')
}

/** Reads a decision before anything is opened, so that a slip changes nothing. */
function answerFrom(decision: TypedDecision, context: CommandContext): ApprovalAnswer {
  const { id, approved, by, reason, args, remember: typed = {} } = decision
  if (by?.trim() === '') throw usageFailure('--by expects a name.')
  if (reason?.trim() === '') {
    throw usageFailure(approved ? '--reason expects a text.' : '--reason expects a text; the model is told it.')
  }
  const remember = rememberOf(typed, context.host.clock.now())
  return {
    id,
    approved,
    by: by ?? context.principal.id,
    ...(reason === undefined ? {} : { reason }),
    ...(args === undefined ? {} : { edit: jsonObjectOption('--args', args, '{"service": "checkout"}') }),
    ...(remember === undefined ? {} : { remember }),
  }
}

async function settledFailure(approval: Approval, store: Store, context: CommandContext): Promise<CommandFailure> {
  // Time settles an expired request; nobody goes on with its run because of that.
  const at = approval.status === 'expired' ? null : approval.decidedAt
  const hint = await resumeHint({ runId: approval.runId, at }, store, context)
  return requestFailure(`Request ${approval.id} is settled already: ${settlementText(approval)}.${hint}`)
}

async function recordDecision(answer: ApprovalAnswer, agent: Agent, context: CommandContext): Promise<void> {
  const { id } = answer
  const recorded = await agent.decide(answer)
  switch (recorded.kind) {
    case 'decided':
      return tellRemembered(id, recorded.approval.tool, agent.store, context)
    case 'unknown':
      throw requestFailure(`Request ${id} is gone from ${context.store.file}.`)
    case 'already':
    case 'expired':
      throw await settledFailure(recorded.approval, agent.store, context)
    case 'ended':
      throw requestFailure(
        `The run of request ${id} has ended (${recorded.stopReason ?? 'unknown reason'}): nothing would come of a decision, so none was recorded.`,
      )
    case 'invalid':
      throw usageFailure(`Request ${id} stands, nothing was recorded: ${issueLine(recorded.because)}.`)
    default:
      return recorded satisfies never
  }
}

/**
 * `fairlead approvals approve` and `deny`: makes sure that the run can go on, records the decision, so that nothing
 * after it can lose it, then goes on with the run in this process; for a request of an agent inside a call that is the
 * outermost run. A request that is settled, expired or unknown fails and runs nothing; where the configuration is
 * missing or broken, or the arguments do not fit the tool, nothing is recorded.
 */
export async function approvalsDecideCommand(
  decision: TypedDecision,
  choice: ModelChoice,
  context: CommandContext,
): Promise<ExitCode> {
  const answer = answerFrom(decision, context)
  const { id, approved } = answer
  await using opened = await openExistingStore(context.store)
  const stored = await opened?.store.approvals.get(id)
  if (opened === undefined || stored === undefined) throw notInStore(`approval request ${id}`, context.store, opened)
  const { store } = opened
  const approval = judgedNow(stored, context.host.clock.now())
  if (approval.status !== 'pending') throw await settledFailure(approval, store, context)
  const run = await store.journal.run(approval.runId)
  if (run === undefined) throw requestFailure(`Run ${approval.runId} of request ${id} is not in the store.`)
  const { root } = await rootRun(run, store)
  const assembled = await reassembleBeforeRecording(root, choice, context)
  await recordDecision(answer, assembled.agent.with({ store }), context)
  try {
    const callMustSucceed = approved ? approval.callId : null
    return await goOn(root, context, { store, assembled, mayAsk: false, callMustSucceed })
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error
    if (error.code === 'RUN_BUSY') return await goOnElsewhere({ what: 'decision', runId: root.id }, store, context)
    const hint = await resumeHint({ runId: root.id, at: null }, store, context)
    const told = `The decision is recorded, but the run did not go on: ${error.message}${hint}`
    throw new CommandFailure(exitCode.failed, told, { cause: error })
  }
}
