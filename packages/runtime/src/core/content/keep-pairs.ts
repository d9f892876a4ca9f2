import { FairleadError } from '../fairlead-error.ts'
import type { ContentPart, FunctionCallPart, FunctionResultPart } from './content-part.ts'
import { isRequest, isResponse } from './hosted-approvals.ts'
import type { Message } from './message.ts'

/**
 * A selection of a conversation without half pairs: a call whose result is not there is left out, and so is a result
 * whose call is not there before it; a message nothing remains of goes too. Ids are matched turn by turn, because models
 * reuse them: a result of Fairlead's own stays with the call of the conversation it answers. Throws `INVALID_MESSAGE`
 * for what is no list of messages.
 */
export function keepPairs(selection: unknown, conversation: readonly Message[]): readonly Message[] {
  const messages = requireList(selection)
  const callOf = callsOfResults(conversation)
  const kept: Message[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined || message.role === 'tool' || message.parts.length === 0) continue
    if (message.role !== 'assistant') {
      kept.push(message)
      continue
    }
    // The results of an assistant's turn are the tool messages that follow it.
    const results: Message[] = []
    for (let next = messages[index + 1]; next?.role === 'tool'; next = messages[index + 1]) {
      results.push(next)
      index++
    }
    kept.push(...pairedTurn(message, results, callOf))
  }
  return kept
}

/** The call that each result of Fairlead's own answers, by Fairlead's id. */
type CallsOfResults = ReadonlyMap<string, FunctionCallPart>

function callsOfResults(conversation: readonly Message[]): CallsOfResults {
  const callOf = new Map<string, FunctionCallPart>()
  let turn: Message | undefined
  for (const message of conversation) {
    if (message.role !== 'tool') turn = message
    else if (turn !== undefined) {
      for (const part of message.parts) {
        if (part.kind !== 'function_result' || part.call === null) continue
        const call = turn.parts.find((other) => isCall(other) && other.callId === part.callId)
        if (call?.kind === 'function_call') callOf.set(part.call, call)
      }
    }
  }
  return callOf
}

function pairedTurn(turn: Message, results: readonly Message[], callOf: CallsOfResults): readonly Message[] {
  const calls = new Map(turn.parts.flatMap((part) => (isCall(part) ? [[part.callId, part] as const] : [])))
  const answered = new Set(turn.parts.flatMap((part) => (part.kind === 'function_result' ? [part.callId] : [])))
  const answers = (part: FunctionResultPart): boolean => {
    const call = calls.get(part.callId)
    if (call === undefined || answered.has(part.callId)) return false
    const own = part.call === null ? undefined : callOf.get(part.call)
    // A call that was shortened on the way is none of the conversation's, and may be the result's own.
    if (own !== undefined && !isSame(own, call) && isAnotherCall(call, callOf)) return false
    answered.add(part.callId)
    return true
  }
  const asked = new Set(turn.parts.filter(isRequest).map(({ id }) => id))
  const rest = results.flatMap((message) => {
    const left = message.parts.filter((part) => {
      if (part.kind === 'function_result') return answers(part)
      return !isResponse(part) || asked.has(part.id)
    })
    return left.length === 0 ? [] : [left.length === message.parts.length ? message : { ...message, parts: left }]
  })
  const parts = turn.parts.filter(
    (part) =>
      !isCall(part) || part.providerExecuted === true || part.informational === true || answered.has(part.callId),
  )
  const lost = parts.length < turn.parts.length
  // Reasoning that led to a call which is gone is refused by providers.
  const shown = lost ? parts.filter((part) => part.kind !== 'reasoning') : parts
  return [...(shown.length === 0 ? [] : [lost ? { ...turn, parts: shown } : turn]), ...rest]
}

function isAnotherCall(call: FunctionCallPart, callOf: CallsOfResults): boolean {
  return [...callOf.values()].some((known) => isSame(known, call))
}

function isSame(one: FunctionCallPart, other: FunctionCallPart): boolean {
  return one.callId === other.callId && one.name === other.name && one.arguments === other.arguments
}

function isCall(part: ContentPart): part is FunctionCallPart {
  return part.kind === 'function_call'
}

/** What a hook gave is from outside. Looked at as far as this page reads it; the model's client reads the rest. */
function requireList(value: unknown): readonly Message[] {
  const isMessage = (item: unknown): boolean =>
    typeof item === 'object' &&
    item !== null &&
    'role' in item &&
    'parts' in item &&
    Array.isArray(item.parts) &&
    item.parts.every((part: unknown) => typeof part === 'object' && part !== null && 'kind' in part)
  if (Array.isArray(value) && value.every(isMessage)) return value as readonly Message[]
  throw new FairleadError('INVALID_MESSAGE', 'It gave no list of messages.')
}
