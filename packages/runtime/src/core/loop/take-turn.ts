import type { ChatClient, ChatRequest, ChatResponse, ToolChoice } from '../chat/chat-client.ts'
import type { Usage } from '../ports/run-record.ts'
import type { RunPatch } from './run-patch.ts'
import type { ContentPart } from '../content/content-part.ts'
import { textOf, type Message } from '../content/message.ts'
import { askModel, type AskedTurn, type ModelSetting } from './ask-model.ts'
import { askThroughMiddleware } from './ask-through-middleware.ts'
import { historyFor } from './history-for.ts'
import { remainingMs, type LoopSetup } from './loop-setup.ts'
import { isConsent } from './read-turn.ts'
import { chargeTurn } from './run-budget.ts'
import type { StopReason } from './stop-reason.ts'
import { stopRun } from './stop-run.ts'

/** A model turn, and what it adds to the run's record. */
export type TurnAnswer =
  | { readonly kind: 'answered'; readonly response: ChatResponse; readonly patch: RunPatch }
  | { readonly kind: 'aborted'; readonly patch: RunPatch }
  | { readonly kind: 'failed'; readonly patch: RunPatch }
  | { readonly kind: 'stopped'; readonly patch: RunPatch }
  | { readonly kind: 'late'; readonly patch: RunPatch }

/** Asks the model for its next turn, within what is left of the run's time. {@link chargedAnswer} reads the answer. */
export function takeTurn(
  setup: LoopSetup,
  toolChoice: ToolChoice,
  timeoutMs: number | null = remainingMs(setup),
): Promise<AskedTurn> {
  const { model, writer, pipeline } = setup
  if (model === null) return Promise.resolve({ kind: 'failed', error: 'There is no model.' })
  const { conversationId } = writer.run
  const { scope, ports } = pipeline
  const request = (messages: readonly Message[], signal: AbortSignal): ChatRequest => ({
    instructions: setup.brought.instructions,
    messages,
    // Told even when none may be used: some providers refuse a history of calls without them.
    tools: scope.tools.current.definitions,
    toolChoice,
    signal,
    ...(conversationId === null ? {} : { conversationId }),
  })
  const setting: ModelSetting = {
    fan: scope.fan,
    clock: ports.clock,
    streaming: setup.streaming,
    outbox: setup.outbox,
    timeoutMs,
    hooks: null,
  }
  const messages = withBrought(setup, conversationId === null ? writer.messages : unheldMessages(writer.messages))
  // What a provider holds is not shown again, so there is nothing to choose from.
  const history = conversationId === null ? setup.history : null
  if (history !== null) {
    const since = ports.clock.now()
    return historyFor(history, messages, setup, timeoutMs).then((shown) => {
      if (shown.kind !== 'shown') return shown
      const left = timeoutMs === null ? null : Math.max(1, timeoutMs - (ports.clock.now() - since))
      return askFor(setup, model, (signal) => request(shown.messages, signal), { ...setting, timeoutMs: left })
    })
  }
  return askFor(setup, model, (signal) => request(messages, signal), setting)
}

/** What context providers brought stands before the run's own messages, and is told once where a provider holds them. */
function withBrought({ brought, writer }: LoopSetup, messages: readonly Message[]): readonly Message[] {
  if (brought.messages.length === 0) return messages
  const { firstMessage, conversationId, turns } = writer.run
  if (conversationId !== null) return turns === 0 ? [...brought.messages, ...messages] : messages
  // A run that begins with answers to a provider: nothing stands between question and answer.
  let own = firstMessage
  while (messages[own]?.role === 'tool') own++
  return [...messages.slice(0, own), ...brought.messages, ...messages.slice(own)]
}

function askFor(
  setup: LoopSetup,
  model: ChatClient,
  request: (signal: AbortSignal) => ChatRequest,
  setting: ModelSetting,
): Promise<AskedTurn> {
  return setup.pipeline.scope.chains.chat.length === 0
    ? askModel(model, request, setting)
    : askThroughMiddleware(setup, model, request(setting.fan.signal), setting)
}

/** A turn with its price. No step of {@link takeTurn}: that would be another promise on every turn. */
export function chargedAnswer(setup: LoopSetup, answer: AskedTurn): TurnAnswer {
  switch (answer.kind) {
    case 'aborted':
      return { kind: 'aborted', patch: chargeAsked(setup, answer.asked) }
    case 'late':
      return {
        kind: 'late',
        patch: { ...chargeAsked(setup, answer.asked), error: 'The deadline of the run passed during a model turn.' },
      }
    case 'failed':
      return { kind: 'failed', patch: { ...chargeAsked(setup, answer.asked), error: answer.error } }
    case 'stopped':
      return { kind: 'stopped', patch: { ...chargeAsked(setup, answer.asked), error: answer.error } }
    case 'answered': {
      const { response, asked } = answer
      return { kind: 'answered', response, patch: chargeTurn(setup.writer.run, response, priceOf(setup), asked) }
    }
    default:
      return answer satisfies never
  }
}

/** The price of turns that brought no answer. */
function chargeAsked(setup: LoopSetup, asked: readonly ChatResponse[] = []): RunPatch {
  const last = asked.at(-1)
  return last === undefined ? {} : chargeTurn(setup.writer.run, last, priceOf(setup), asked)
}

function priceOf(setup: LoopSetup): (usage: Usage) => number | null {
  const model = setup.model?.model ?? ''
  return (usage) => setup.price(usage, model)
}

/** What a provider that holds the history has not seen: everything after the assistant's last message. */
function unheldMessages(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1)
}

/** Said when a limit was reached and the model had nothing to say. */
export const limitText = 'Function invocation limit reached before a final answer could be produced.'

/** How long the last turn of a run may take whose deadline has passed, in milliseconds. */
export const lastWordsMs = 30_000

/** One more turn without tools, so that a run that reached a limit still ends with words. */
export async function finalAnswer(setup: LoopSetup, reason: StopReason, because: string): Promise<StopReason> {
  const timeoutMs = setup.limits.deadlineMs === null ? null : lastWordsMs
  const answer = chargedAnswer(setup, await takeTurn(setup, 'none', timeoutMs))
  if (answer.kind === 'aborted') return await stopRun(setup, 'aborted', answer.patch)
  if (answer.kind === 'stopped') return await stopRun(setup, 'terminated', answer.patch)
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
  return response.parts.filter(
    (part) => !isConsent(part) && !isDropped(part) && !(droppedAny && part.kind === 'reasoning'),
  )
}
