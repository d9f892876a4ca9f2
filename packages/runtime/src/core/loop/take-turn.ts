import type { ChatResponse, ToolChoice } from '../chat/chat-client.ts'
import type { RunPatch } from './run-patch.ts'
import type { ContentPart } from '../content/content-part.ts'
import { textOf, type Message } from '../content/message.ts'
import { askModel, type ModelAnswer } from './ask-model.ts'
import { remainingMs, type LoopSetup } from './loop-setup.ts'
import { chargeTurn } from './run-budget.ts'
import type { StopReason } from './stop-reason.ts'
import { stopRun } from './stop-run.ts'

/** A model turn, and what it adds to the run's record. */
export type TurnAnswer =
  | { readonly kind: 'answered'; readonly response: ChatResponse; readonly patch: RunPatch }
  | { readonly kind: 'aborted'; readonly patch: RunPatch }
  | { readonly kind: 'failed'; readonly patch: RunPatch }
  | { readonly kind: 'late'; readonly patch: RunPatch }

/** Asks the model for its next turn, within what is left of the run's time. {@link chargedAnswer} reads the answer. */
export function takeTurn(
  setup: LoopSetup,
  toolChoice: ToolChoice,
  timeoutMs: number | null = remainingMs(setup),
): Promise<ModelAnswer> {
  const { model, writer, pipeline, instructions } = setup
  if (model === null) return Promise.resolve({ kind: 'failed', error: 'There is no model.' })
  const { conversationId } = writer.run
  return askModel(
    model,
    (signal) => ({
      instructions,
      messages: conversationId === null ? writer.messages : unheldMessages(writer.messages),
      // Told even when none may be used: some providers refuse a history of calls without them.
      tools: setup.definitions,
      toolChoice,
      signal,
      ...(conversationId === null ? {} : { conversationId }),
    }),
    {
      fan: pipeline.scope.fan,
      clock: pipeline.ports.clock,
      streaming: setup.streaming,
      outbox: setup.outbox,
      timeoutMs,
    },
  )
}

/** A turn with its price. No step of {@link takeTurn}: that would be another promise on every turn. */
export function chargedAnswer(setup: LoopSetup, answer: ModelAnswer): TurnAnswer {
  switch (answer.kind) {
    case 'aborted':
      return { kind: 'aborted', patch: {} }
    case 'late':
      return { kind: 'late', patch: { error: 'The deadline of the run passed during a model turn.' } }
    case 'failed':
      return { kind: 'failed', patch: { error: answer.error } }
    case 'answered': {
      const { response } = answer
      const model = setup.model?.model ?? ''
      return {
        kind: 'answered',
        response,
        patch: chargeTurn(setup.writer.run, response, (usage) => setup.price(usage, model)),
      }
    }
    default:
      return answer satisfies never
  }
}

/** What a provider that holds the history has not seen: everything after the assistant's last message. */
function unheldMessages(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1)
}

/** Said when a limit was reached and the model had nothing to say. */
export const limitText = 'Function invocation limit reached before a final answer could be produced.'

/** How long the last turn of a run may take whose deadline has passed, in milliseconds. */
const lastWordsMs = 30_000

/** One more turn without tools, so that a run that reached a limit still ends with words. */
export async function finalAnswer(setup: LoopSetup, reason: StopReason, because: string): Promise<StopReason> {
  const timeoutMs = setup.limits.deadlineMs === null ? null : lastWordsMs
  const answer = chargedAnswer(setup, await takeTurn(setup, 'none', timeoutMs))
  if (answer.kind === 'aborted') return await stopRun(setup, 'aborted')
  return await endWithWords(setup, answer, { reason, because })
}

/** Ends a run with what may stay of a turn; the fixed sentence where nothing visible does. */
export async function endWithWords(
  setup: LoopSetup,
  answer: TurnAnswer,
  stop: { readonly reason: StopReason; readonly because: string },
): Promise<StopReason> {
  const parts = answer.kind === 'answered' ? visibleParts(answer.response) : []
  const silent = textOf(parts).trim() === ''
  setup.writer.addMessage({ role: 'assistant', parts: silent ? [...parts, { kind: 'text', text: limitText }] : parts })
  return await stopRun(setup, stop.reason, { error: stop.because, ...answer.patch })
}

/**
 * What may stay of a turn whose calls cannot run: a call without an answer would poison the conversation, and so would
 * reasoning that led to a call which is no longer there.
 */
function visibleParts(response: ChatResponse): readonly ContentPart[] {
  const answered = new Set(response.parts.flatMap((part) => (part.kind === 'function_result' ? [part.callId] : [])))
  const isDropped = (part: ContentPart): boolean =>
    part.kind === 'function_call' && part.providerExecuted !== true && !answered.has(part.callId)
  const droppedAny = response.parts.some(isDropped)
  return response.parts.filter((part) => {
    if (part.kind === 'function_approval_request' || part.kind === 'function_approval_response') return false
    return !isDropped(part) && !(droppedAny && part.kind === 'reasoning')
  })
}
