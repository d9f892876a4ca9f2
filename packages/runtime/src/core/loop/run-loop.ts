import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import { isThenable } from '../call/maybe-promise.ts'
import type { Pipeline } from '../call/pipeline.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ChatClient, ChatResponse, ToolChoice, ToolDefinition } from '../chat/chat-client.ts'
import type { ContentPart } from '../content/content-part.ts'
import { textOf } from '../content/message.ts'
import type { ApprovalStore } from '../ports/journal.ts'
import type { RunRecord, Usage } from '../ports/run-record.ts'
import { askModel } from './ask-model.ts'
import type { LoopLimits } from './loop-limits.ts'
import type { Outbox } from './outbox.ts'
import { performBatch } from './perform-batch.ts'
import { readTurn } from './read-turn.ts'
import { resumeBatch } from './resume-batch.ts'
import type { RunUpdate } from './run-update.ts'
import type { RunWriter } from './run-writer.ts'
import { keepsRunOpen, type StopReason } from './stop-reason.ts'

export type LoopSetup = {
  /** `null`: the host called one tool itself; the run ends with that call. */
  readonly model: ChatClient | null
  readonly instructions: string | undefined
  readonly definitions: readonly ToolDefinition[]
  readonly limits: LoopLimits
  readonly pipeline: Pipeline
  readonly writer: RunWriter
  readonly outbox: Outbox
  readonly approvals: ApprovalStore
  readonly streaming: boolean
  /** Calls of a turn that is not finished: a stored run that goes on. */
  readonly openCalls: readonly LiveCall[] | null
  /** A call the host proposes itself, instead of a model. */
  readonly hostCall: { readonly name: string; readonly arguments: string } | null
}

/** Said when a limit was reached and the model had nothing to say. */
export const limitText = 'Function invocation limit reached before a final answer could be produced.'

/**
 * The function-invocation loop, written once: streamed as it is, folded for the call that waits. Model turn, classify
 * the whole batch, execute, repeat, until a named stop reason. Rejects only when the store fails.
 */
export async function* runLoop(setup: LoopSetup): AsyncGenerator<RunUpdate, StopReason> {
  const { pipeline, writer, outbox, limits, model } = setup
  const { fan } = pipeline.scope
  let errorStreak = 0
  let openCalls = setup.openCalls
  const stop = async function* (
    reason: StopReason,
    patch: Partial<RunRecord> = {},
  ): AsyncGenerator<RunUpdate, StopReason> {
    const status = keepsRunOpen(reason) ? 'suspended' : 'ended'
    const endedAt = status === 'ended' ? pipeline.ports.clock.now() : null
    await writer.commit({ run: { ...patch, status, stopReason: reason, endedAt } })
    yield* outbox.take()
    return reason
  }

  if (setup.hostCall !== null) {
    const { name, arguments: text } = setup.hostCall
    const callId = 'host'
    writer.addMessage({ role: 'assistant', parts: [{ kind: 'function_call', callId, name, arguments: text }] })
    const [call, verdict] = pipeline.open({
      providerCallId: callId,
      name,
      arguments: text,
      turn: 1,
      index: 0,
      modelReason: null,
    })
    const finished = yield* finishBatch(setup, [call], [await verdict], { turns: 1 })
    return finished.kind === 'waiting' ? finished.reason : yield* stop('answered')
  }

  for (;;) {
    if (openCalls !== null) {
      const resumed = await resumeBatch(openCalls, pipeline, writer, setup.approvals)
      if (resumed.kind === 'waiting') return yield* stop(resumed.reason)
      const finished = yield* finishBatch(setup, openCalls, resumed.opened, {})
      if (finished.kind === 'waiting') return finished.reason
      errorStreak = finished.failed ? errorStreak + 1 : 0
      openCalls = null
    }
    if (fan.aborted) return yield* stop('aborted')
    if (model === null) return yield* stop('answered')
    if (writer.run.turns >= limits.maxIterations) return yield* finalAnswer(setup, stop, 'iteration_limit')
    if (errorStreak > 0 && errorStreak >= limits.maxConsecutiveErrors)
      return yield* finalAnswer(setup, stop, 'error_limit')

    const answer = yield* takeTurn(setup, 'auto')
    if (answer.kind !== 'answered')
      return yield* stop(answer.kind === 'aborted' ? 'aborted' : 'model_error', answer.patch)
    const { response, patch } = answer
    const turn = readTurn(response, writer.run.turns + 1)
    if (response.finishReason === 'error') {
      return yield* stop('model_error', { ...patch, error: 'The model ended its turn with an error.' })
    }
    writer.addMessage(turn.message)
    const proposals = turn.calls.map((call, index) => ({
      providerCallId: call.callId,
      name: call.name,
      arguments: call.arguments,
      turn: writer.run.turns + 1,
      index,
      modelReason: turn.modelReason,
    }))
    if (proposals.length === 0) return yield* stop(reasonWithoutCalls(response), patch)
    if (response.finishReason === 'length' || response.finishReason === 'content_filter') {
      // A turn that was cut off may hold half a thought: its calls are answered, never run.
      const because = `The turn ended early (${response.finishReason}).`
      const cut: LiveCall[] = []
      for (const proposal of proposals) cut.push(await pipeline.refuse(proposal, because))
      await writer.commit({ calls: cut, run: patch })
      addToolMessage(writer, cut)
      return yield* stop(response.finishReason)
    }
    const pairs = proposals.map((proposal) => pipeline.open(proposal))
    const calls = pairs.map(([call]) => call)
    const opened = await allOpened(pairs.map(([, verdict]) => verdict))
    const finished = yield* finishBatch(setup, calls, opened, patch)
    if (finished.kind === 'waiting') return finished.reason
    errorStreak = finished.failed ? errorStreak + 1 : 0
  }
}

type Finished =
  | { readonly kind: 'done'; readonly failed: boolean }
  | { readonly kind: 'waiting'; readonly reason: 'approval_required' | 'client_tool_required' }

/** From a classified batch to its tool message. If one call needs a person, nothing of the batch runs yet. */
async function* finishBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
  patch: Partial<RunRecord>,
): AsyncGenerator<RunUpdate, Finished> {
  const { pipeline, writer, outbox } = setup
  const approvals = opened.flatMap((verdict): readonly Approval[] => (verdict.kind === 'ask' ? [verdict.approval] : []))
  if (approvals.length > 0) {
    const suspended = { ...patch, status: 'suspended', stopReason: 'approval_required' } as const
    // An unrecorded request still only waits: nothing ran, and its claim will be recorded or refused.
    await writer.commit({ calls, approvals, run: suspended })
    yield* outbox.take()
    return { kind: 'waiting', reason: 'approval_required' }
  }
  const ready = calls.filter((_, index) => opened[index]?.kind === 'ready')
  const running = pipeline.scope.fan.aborted ? [] : ready
  if (running.length === 0)
    for (const call of ready) await pipeline.cancel(call, 'The run was aborted before the call started.')
  else for (const call of running) pipeline.start(call)
  const counted = running.length === 0 ? patch : { ...patch, calls: writer.run.calls + running.length }
  const recorded = await writer.commit({ calls, run: counted })
  yield* outbox.take()
  if (recorded === 'unrecorded') {
    for (const call of running) await pipeline.failUnrecorded(call)
    await writer.commit({ calls: running })
  } else yield* performBatch(running, pipeline, writer, outbox)
  addToolMessage(writer, calls)
  yield* outbox.take()
  return { kind: 'done', failed: calls.some((call) => countsAsError(call)) }
}

/** A person's refusal is an answer, not an error of the model or the tool. */
function countsAsError(call: LiveCall): boolean {
  const result = call.record.result
  return (
    result !== null &&
    result.status === 'error' &&
    result.errorCode !== 'APPROVAL_DENIED' &&
    result.errorCode !== 'APPROVAL_EXPIRED'
  )
}

function addToolMessage(writer: RunWriter, calls: readonly LiveCall[]): void {
  const parts: ContentPart[] = []
  for (const call of calls) if (call.record.result !== null) parts.push(call.record.result.answer)
  writer.addMessage({ role: 'tool', parts })
}

function allOpened(verdicts: readonly (Opened | Promise<Opened>)[]): readonly Opened[] | Promise<readonly Opened[]> {
  return verdicts.some(isThenable)
    ? Promise.all(verdicts.map((verdict) => Promise.resolve(verdict)))
    : (verdicts as readonly Opened[])
}

function reasonWithoutCalls(response: ChatResponse): StopReason {
  if (response.finishReason === 'length' || response.finishReason === 'content_filter') return response.finishReason
  return 'answered'
}

type TurnAnswer =
  | { readonly kind: 'answered'; readonly response: ChatResponse; readonly patch: Partial<RunRecord> }
  | { readonly kind: 'aborted' | 'failed'; readonly patch: Partial<RunRecord> }

async function* takeTurn(setup: LoopSetup, toolChoice: ToolChoice): AsyncGenerator<RunUpdate, TurnAnswer> {
  const { model, writer, pipeline } = setup
  if (model === null) return { kind: 'failed', patch: { error: 'There is no model.' } }
  yield* setup.outbox.take()
  const answer = yield* askModel(
    model,
    {
      instructions: setup.instructions,
      messages: writer.messages,
      tools: toolChoice === 'none' ? [] : setup.definitions,
      toolChoice,
    },
    { fan: pipeline.scope.fan, streaming: setup.streaming },
  )
  switch (answer.kind) {
    case 'aborted':
      return { kind: 'aborted', patch: {} }
    case 'failed':
      return { kind: 'failed', patch: { error: answer.error } }
    case 'answered': {
      const { run } = writer
      return {
        kind: 'answered',
        response: answer.response,
        patch: { turns: run.turns + 1, usage: addUsage(run.usage, answer.response.usage) },
      }
    }
    default:
      return answer satisfies never
  }
}

/** One more turn without tools, so that a run that reached a limit still ends with words. */
async function* finalAnswer(
  setup: LoopSetup,
  stop: (reason: StopReason, patch?: Partial<RunRecord>) => AsyncGenerator<RunUpdate, StopReason>,
  reason: StopReason,
): AsyncGenerator<RunUpdate, StopReason> {
  const answer = yield* takeTurn(setup, 'none')
  if (answer.kind === 'aborted') return yield* stop('aborted')
  const parts = answer.kind === 'answered' ? visibleParts(answer.response) : []
  const silent = textOf(parts).trim() === ''
  setup.writer.addMessage({ role: 'assistant', parts: silent ? [...parts, { kind: 'text', text: limitText }] : parts })
  return yield* stop(reason, answer.patch)
}

/** What may stay of a turn whose calls cannot run: a call without an answer would poison the conversation. */
function visibleParts(response: ChatResponse): readonly ContentPart[] {
  return response.parts.filter((part) => part.kind !== 'function_call' || part.providerExecuted === true)
}

function addUsage(sum: Usage, more: Usage | undefined): Usage {
  if (more === undefined) return sum
  return { inputTokens: sum.inputTokens + more.inputTokens, outputTokens: sum.outputTokens + more.outputTokens }
}
