import type { LiveCall } from '../call/live-call.ts'
import type { RunPatch } from './run-patch.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { Proposal } from '../call/look-up-call.ts'
import type { Opened } from '../call/stage-ports.ts'
import { openHostedRequests } from '../content/hosted-approvals.ts'
import type { Message } from '../content/message.ts'
import type { ChatResponse, ToolChoice } from '../chat/chat-client.ts'
import { workedMs, type LoopSetup } from './loop-setup.ts'
import { grantApprovals } from './grant-approvals.ts'
import { readTurn, type Turn } from './read-turn.ts'
import { resumeBatch } from './resume-batch.ts'
import { reachedLimit } from './run-budget.ts'
import { addToolMessage, settleBatch } from './settle-batch.ts'
import type { StopReason } from './stop-reason.ts'
import { stopRun } from './stop-run.ts'
import { takeUpCalls } from './take-up-calls.ts'
import { chargedAnswer, endWithWords, finalAnswer, takeTurn } from './take-turn.ts'

/**
 * The function-invocation loop, written once; whoever listens hears of it through the outbox. Resolve what is open,
 * model turn, classify the whole batch, execute, repeat, until a named stop reason. Rejects only when the store fails.
 */
export async function runLoop(setup: LoopSetup, added: readonly Message[]): Promise<StopReason> {
  if (setup.openCalls !== null) {
    const calls = await takeUpCalls(setup, setup.openCalls)
    return await goOnWithTurns(setup, { calls, added }, setup.errorStreak)
  }
  for (const message of added) setup.writer.addMessage(message)
  if (setup.hostCall !== null) return await makeHostCall(setup, setup.hostCall)
  await setup.writer.open()
  return await goOnWithTurns(setup, null, setup.errorStreak)
}

/** An unfinished turn, and what is said once its calls have their results: nothing stands between the two. */
type OpenTurn = { readonly calls: readonly LiveCall[]; readonly added: readonly Message[] }

/** The same from where it stands: a run that middleware drives again. */
export async function runLoopAgain(setup: LoopSetup): Promise<StopReason> {
  return await goOnWithTurns(setup, null, 0)
}

async function goOnWithTurns(setup: LoopSetup, open: OpenTurn | null, errorsBefore: number): Promise<StopReason> {
  const { pipeline, writer, limits, ending } = setup
  const { fan } = pipeline.scope
  let errorStreak = errorsBefore
  let asksHost = false
  if (open !== null) {
    const resumed = await resumeBatch(open.calls, setup)
    if (resumed.kind === 'waiting') return await stopRun(setup, resumed.reason)
    const settled = await settleBatch(setup, open.calls, resumed, {})
    if (settled.kind === 'waiting') return settled.reason
    errorStreak = settled.failed ? errorStreak + 1 : 0
    asksHost = openHostedRequests(writer.messages).length > 0
    for (const message of open.added) writer.addMessage(message)
  }
  for (;;) {
    if (fan.aborted) return await stopRun(setup, 'aborted')
    if (ending.terminatedBy !== null) return await stopRun(setup, 'terminated', endedBy(ending.terminatedBy))
    // With its own calls answered, the turn still waits for a person before the model may go on.
    if (asksHost) return await stopRun(setup, 'hosted_approval_required')
    if (!setup.inbox.isEmpty) for (const message of setup.inbox.take()) writer.addMessage(message)
    if (setup.model === null) return await stopRun(setup, 'answered')
    const limit = reachedLimit({
      run: writer.run,
      limits,
      session: setup.sessionLimits,
      spent: setup.spent,
      errorStreak,
      workedMs: workedMs(setup),
    })
    if (limit !== null) return await finalAnswer(setup, limit.reason, limit.because)

    const toolChoice = choiceFor(setup)
    const answer = chargedAnswer(setup, await takeTurn(setup, toolChoice))
    if (answer.kind === 'aborted') return await stopRun(setup, 'aborted', answer.patch)
    if (answer.kind === 'stopped') return await stopRun(setup, 'terminated', answer.patch)
    if (answer.kind === 'late') return await endWithWords(setup, answer, { reason: 'budget_limit', because: '' })
    if (answer.kind === 'failed') return await stopRun(setup, 'model_error', answer.patch)
    const { response, patch } = answer
    if (response.finishReason === 'error') {
      return await stopRun(setup, 'model_error', { ...patch, error: 'The model ended its turn with an error.' })
    }
    const turn = readTurn(response, writer.run.turns + 1)
    if (toolChoice === 'none' && turn.calls.length > 0) {
      return await endWithWords(setup, answer, {
        reason: 'answered',
        because: 'Calls were proposed although none were offered.',
      })
    }
    writer.addMessage(turn.message)
    asksHost = turn.asksHost
    const proposals = proposalsOf(turn, writer.run.turns + 1)
    if (ending.terminatedBy !== null) {
      return await refuseCutTurn(setup, proposals, 'terminated', Object.assign(patch, endedBy(ending.terminatedBy)))
    }
    if (proposals.length === 0) {
      const reason = reasonWithoutCalls(response, asksHost)
      if (reason !== 'answered' || setup.inbox.isEmpty) return await stopRun(setup, reason, patch)
      // Somebody said something meanwhile: the run goes on for it.
      await writer.commit({ run: patch })
      continue
    }
    if (response.finishReason === 'length' || response.finishReason === 'content_filter') {
      return await refuseCutTurn(setup, proposals, response.finishReason, patch)
    }
    const calls: LiveCall[] = []
    const verdicts: (Opened | Promise<Opened>)[] = []
    for (const proposal of proposals) {
      const [call, verdict] = pipeline.open(proposal)
      calls.push(call)
      verdicts.push(verdict)
    }
    const opened = verdicts.some(isThenable)
      ? await Promise.all(calls.map((call, index) => pipeline.decided(call, verdicts[index] ?? { kind: 'answered' })))
      : (verdicts as readonly Opened[])
    if (limits.terminateOnUnknownCalls && calls.some((call) => call.tool === null)) {
      return await endAtUnknown(setup, calls, patch)
    }
    const settled = opened.some(asks)
      ? await settleBatch(setup, calls, await grantApprovals(setup, calls, opened), patch)
      : await settleBatch(setup, calls, { opened, granted: none }, patch)
    if (settled.kind === 'waiting') return settled.reason
    errorStreak = settled.failed ? errorStreak + 1 : 0
  }
}

function choiceFor(setup: LoopSetup): ToolChoice {
  return setup.toolChoice === 'none' || setup.writer.run.turns === 0 ? setup.toolChoice : 'auto'
}

function proposalsOf(turn: Turn, number: number): readonly Proposal[] {
  return turn.calls.map((call, index) => ({
    providerCallId: call.callId,
    name: call.name,
    arguments: call.arguments,
    turn: number,
    index,
    modelReason: turn.modelReason,
  }))
}

function reasonWithoutCalls({ finishReason }: ChatResponse, asksHost: boolean): StopReason {
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason
  return asksHost ? 'hosted_approval_required' : 'answered'
}

/** The host calls one tool itself: the same pipeline, a run of its own, no model. */
async function makeHostCall(setup: LoopSetup, hostCall: NonNullable<LoopSetup['hostCall']>): Promise<StopReason> {
  const { pipeline, writer } = setup
  const { name, arguments: text } = hostCall
  const callId = 'host'
  writer.addMessage({ role: 'assistant', parts: [{ kind: 'function_call', callId, name, arguments: text }] })
  const proposal = { providerCallId: callId, name, arguments: text, turn: 1, index: 0, modelReason: null }
  const [call, verdict] = pipeline.open(proposal)
  const opened = [await pipeline.decided(call, verdict)]
  const settled = await settleBatch(setup, [call], await grantApprovals(setup, [call], opened), { turns: 1 })
  if (settled.kind === 'waiting') return settled.reason
  if (pipeline.scope.fan.aborted) return await stopRun(setup, 'aborted')
  const { terminatedBy } = setup.ending
  return terminatedBy === null
    ? await stopRun(setup, 'answered')
    : await stopRun(setup, 'terminated', endedBy(terminatedBy))
}

const none: readonly never[] = []

function asks(verdict: Opened): boolean {
  return verdict.kind === 'ask'
}

function endedBy(name: string): RunPatch {
  return { error: `Ended by middleware "${name}".` }
}

/** A turn that was cut off may hold half a thought, and one that middleware ended is the last: its calls never run. */
async function refuseCutTurn(
  setup: LoopSetup,
  proposals: readonly Proposal[],
  reason: 'length' | 'content_filter' | 'terminated',
  patch: RunPatch,
): Promise<StopReason> {
  if (proposals.length === 0) return await stopRun(setup, reason, patch)
  const because = reason === 'terminated' ? 'The run was ended.' : `The turn ended early (${reason}).`
  const cut: LiveCall[] = []
  for (const proposal of proposals) cut.push(await setup.pipeline.refuse(proposal, because))
  await setup.writer.commit({ calls: cut, run: patch })
  addToolMessage(setup.writer, cut)
  return await stopRun(setup, reason)
}

/** `terminateOnUnknownCalls`: nothing of the batch runs; the unknown call says so, its siblings are cancelled. */
async function endAtUnknown(setup: LoopSetup, calls: readonly LiveCall[], patch: RunPatch): Promise<StopReason> {
  for (const call of calls) {
    if (call.record.result === null)
      await setup.pipeline.cancel(call, 'Another call of the same turn is of an unknown tool.')
  }
  const unknown = calls
    .filter((call) => call.tool === null)
    .map(({ record }) => JSON.stringify(record.tool.slice(0, 64)))
  const error = `The model called a tool that does not exist: ${unknown.join(', ')}.`
  await setup.writer.commit({ calls, run: patch })
  addToolMessage(setup.writer, calls)
  return await stopRun(setup, 'unknown_tool', { error })
}
