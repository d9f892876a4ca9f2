import { AbortFan } from '../call/abort-fan.ts'
import { thrownText } from '../call/thrown.ts'
import { Pipeline } from '../call/pipeline.ts'
import type { ToolLogger } from '../call/invocation-context.ts'
import type { ChatClient, ToolChoice } from '../chat/chat-client.ts'
import type { Message } from '../content/message.ts'
import { endInside } from '../loop/end-inside.ts'
import type { LoopLimits } from '../loop/loop-limits.ts'
import { remainingMs, type LoopSetup } from '../loop/loop-setup.ts'
import type { Outbox } from '../loop/outbox.ts'
import { budgetLeft } from '../loop/budget-left.ts'
import type { Price, SessionLimits, Spent } from '../loop/run-budget.ts'
import { readHistory } from '../loop/run-history.ts'
import type { HistoryHook } from '../loop/history-hook.ts'
import { isAnsweredLater, keepsRunOpen, type StopReason } from '../loop/stop-reason.ts'
import type { Chains } from '../middleware/collect-middleware.ts'
import { userMessageFrom } from '../middleware/run-passage.ts'
import { RunTools, type ToolChanges, type ToolSet } from '../tool/run-tools.ts'
import { RunWriter } from '../loop/run-writer.ts'
import type { JournalEntry } from '../ports/journal.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { RunRecord } from '../ports/run-record.ts'
import { ToolCounters } from '../tool/tool-counters.ts'
import { consultRules } from '../approval/consult.ts'
import { noRequests, openRequests } from './open-requests.ts'
import type { ContextProvider } from './context-provider.ts'
import type { AgentPorts } from './default-ports.ts'
import { drive as driveToStop } from './drive-through-middleware.ts'
import { packRun } from './continuation.ts'
import { keepLease } from './keep-lease.ts'
import { liveSessionsOf, type GivenToRun } from './live-sessions.ts'
import { resultOf, type RefusedAnswer, type RunResult } from './run-result.ts'

/** How an agent drives each of its runs. */
export type DriveSettings = {
  readonly ports: AgentPorts
  readonly tools: ToolSet
  readonly chains: Chains
  readonly providers: readonly ContextProvider[]
  readonly history: HistoryHook | null
  readonly agent: string
  /** What the host gave this run beside its agent. */
  readonly given: GivenToRun['options']
  readonly partialAnswers: 'wait' | 'run'
  readonly approvalMode: 'all' | 'oneAtATime'
  readonly model: ChatClient | null
  readonly instructions: string | undefined
  readonly limits: LoopLimits
  readonly sessionLimits: SessionLimits
  readonly price: Price
  readonly toolChoice: ToolChoice
  readonly services: unknown
  readonly logger: ToolLogger
  readonly signal: AbortSignal | undefined
  /** How many runs this one lies inside of. */
  readonly depth: number
}

/** Who hears of a run while it goes on. */
export type Telling = { readonly streaming: boolean; readonly outbox: Outbox }

/**
 * What drives a run, new or resumed. Nested, not spread into one: V8 makes a new hidden class for every object spread
 * from two, which costs more than a model turn of the loop.
 */
export type Drive = {
  readonly settings: DriveSettings
  readonly telling: Telling
  readonly run: RunRecord
  readonly worker: string
  readonly spent: Spent
  /** The conversation as stored, and what this run adds before its first turn. */
  readonly stored: readonly Message[]
  readonly added: readonly Message[]
  readonly opening: readonly JournalEntry[]
  /** Calls of an unfinished turn, as stored. */
  readonly openCalls: readonly CallRecord[]
  /** Every call of the run so far. */
  readonly pastCalls: readonly CallRecord[]
  /** Of those, the ones the host proposes itself and the journal has not seen. */
  readonly hostCall: { readonly name: string; readonly arguments: string } | null
  readonly refused: readonly RefusedAnswer[]
  /** A stored run goes on. */
  readonly resumed: boolean
  /** Tools that came or went in an earlier drive of the run. */
  readonly changes: ToolChanges | null
}

/** Drives a run to its next stop. The same code serves the stream and the call that waits. */
export async function driveRun(drive: Drive): Promise<RunResult> {
  const { run, settings, telling } = drive
  const { ports } = settings
  const { store, stages } = ports
  const live = liveSessionsOf(store)
  const inbox = live.openInbox(run.sessionId)
  const tools = new RunTools(settings.tools)
  const ending: LoopSetup['ending'] = { terminatedBy: null, isHeld: settings.chains.agent.length > 0, held: null }
  const fan = new AbortFan(settings.signal)
  const { outbox } = telling
  const writer = new RunWriter({
    run,
    messages: drive.stored,
    opening: drive.opening,
    journal: store.journal,
    recorder: stages.recorder,
    clock: stages.clock,
    worker: drive.worker,
    patience: () => ({ fan, clock: stages.clock, remainingMs: remainingMs(setup) }),
    guarded: store.durable,
    outbox,
    tellsRequests: settings.approvalMode === 'all',
    replaceable: ending.isHeld,
  })
  const openTurn = drive.openCalls[0]?.turn ?? Number.POSITIVE_INFINITY
  const { counters, errorStreak } = readHistory(drive.pastCalls, openTurn, tools.current.callable)
  const pipeline = new Pipeline(stages, {
    runId: run.id,
    traceId: run.traceId,
    sessionId: run.sessionId,
    principal: run.principal,
    environment: run.environment,
    services: settings.services,
    tools,
    chains: settings.chains,
    state: new Map(),
    fan,
    logger: settings.logger,
    progress: (callId, update) => outbox.push({ kind: 'tool-progress', callId, update }),
    countersOf: ({ counters: life }) => {
      const known = counters.get(life) ?? new ToolCounters()
      counters.set(life, known)
      return known
    },
    remainingMs: () => remainingMs(setup),
    inject: (message) => inbox.push(userMessageFrom(message)),
    charge: (spent) => writer.charge(spent),
    budgetLeft: () => budgetLeft(setup),
    store,
    insides: new Set(drive.openCalls.filter(mayHoldRun).map(({ id }) => id)),
    timers: new Set(),
    depth: settings.depth,
    terminate: (by) => {
      ending.terminatedBy ??= by
    },
  })
  const setup: LoopSetup = {
    model: run.kind === 'call' ? null : settings.model,
    brought: { instructions: settings.instructions, messages: [] },
    history: settings.history,
    toolChoice: settings.toolChoice,
    limits: settings.limits,
    sessionLimits: settings.sessionLimits,
    spent: drive.spent,
    price: settings.price,
    pipeline,
    writer,
    outbox,
    inbox,
    ending,
    approvals: store.approvals,
    partialAnswers: settings.partialAnswers,
    consult: consultRules({
      rules: store.rules,
      clock: stages.clock,
      agent: settings.agent,
      standingRules: settings.chains.approval.every((step) => step.standingRules),
      autoApprove: settings.chains.approval.flatMap((step) => step.autoApprove),
    }),
    streaming: telling.streaming,
    drivenSince: stages.clock.now(),
    openCalls: drive.openCalls.length > 0 ? drive.openCalls : null,
    errorStreak,
    hostCall: drive.hostCall,
  }
  const stopRenewing = store.durable ? keepLease(writer, { clock: stages.clock, leaseMs: ports.leaseMs, fan }) : null
  try {
    outbox.push({ kind: 'run-started', run })
    const stopReason = await driveToStop(setup, {
      added: drive.added,
      resumed: drive.resumed,
      providers: settings.providers,
      changes: drive.changes,
    })
    if (!keepsRunOpen(stopReason)) await endInsides(setup, stopReason)
    if (isAnsweredLater(stopReason)) live.keep(run.id, { options: settings.given, changes: tools.changes })
    const requests = keepsRunOpen(stopReason) ? await openRequests(ports, run.id, settings.approvalMode) : noRequests
    for (const { request, path } of requests.approvals) {
      // Its own were told when they were written; those of agents inside its calls are told here, once.
      const isNew = path.length > 0 && (!drive.resumed || request.createdAt >= setup.drivenSince)
      if (isNew || settings.approvalMode === 'oneAtATime') {
        outbox.push({ kind: 'approval-requested', approval: request })
      }
    }
    outbox.push({ kind: 'run-stopped', run: writer.run, stopReason })
    return resultOf({
      run: writer.run,
      stopReason,
      messages: writer.messages,
      requests,
      continuation:
        keepsRunOpen(stopReason) && ports.approvalSecret !== null && run.parent === null
          ? await packRun(store, run.id, ports.approvalSecret)
          : null,
      refused: drive.refused,
    })
  } catch (error) {
    // Whatever still runs hears that nobody waits for it any more, and the run may be taken up again at once.
    fan.abort(error)
    // It may be taken up again here, with what it was given.
    live.keep(run.id, { options: settings.given, changes: tools.changes })
    await writer.letGo()
    throw error
  } finally {
    tools.close()
    for (const timer of pipeline.scope.timers) timer.abort()
    live.closeInbox(run.sessionId)
    fan.close()
    await stopRenewing?.()
  }
}

/** The run itself has ended and is written: what cannot be ended inside it is told the logger, no more. */
async function endInsides(setup: LoopSetup, stopReason: StopReason): Promise<void> {
  const { insides, logger } = setup.pipeline.scope
  for (const id of insides) {
    try {
      await endInside(setup, id, `The run around it has ended (${stopReason}).`)
    } catch (error) {
      logger.warn(`The run of the agent inside call ${id} could not be ended: ${thrownText(error)}`)
    }
  }
}

/** A call that waits for an agent inside it, or was under way when its process died. */
function mayHoldRun({ state }: CallRecord): boolean {
  return state === 'Retried' || state === 'Executing'
}
