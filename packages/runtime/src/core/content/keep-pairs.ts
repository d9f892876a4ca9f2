import type { ContentPart } from './content-part.ts'
import type { Message } from './message.ts'

/**
 * A selection of a conversation without half pairs: a call whose result is not there is left out, and so is a result
 * whose call is not there before it; a message nothing remains of goes too. Ids are matched turn by turn, because models
 * reuse them.
 */
export function keepPairs(messages: readonly Message[]): readonly Message[] {
  const kept: Message[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined) continue
    if (message.role !== 'assistant') {
      if (message.role === 'tool') continue
      kept.push(message)
      continue
    }
    // The results of an assistant's turn are the tool messages that follow it.
    const results: Message[] = []
    for (let next = messages[index + 1]; next?.role === 'tool'; next = messages[index + 1]) {
      results.push(next)
      index++
    }
    kept.push(...pairedTurn(message, results))
  }
  return kept
}

function pairedTurn(turn: Message, results: readonly Message[]): readonly Message[] {
  const own = (kind: ContentPart['kind'], parts: readonly ContentPart[]): readonly string[] =>
    parts.flatMap((part) =>
      part.kind === kind && 'callId' in part && typeof part.callId === 'string' ? [part.callId] : [],
    )
  const answeredHere = new Set(own('function_result', turn.parts))
  const called = new Set(own('function_call', turn.parts))
  const answered = new Set([...answeredHere, ...results.flatMap(({ parts }) => own('function_result', parts))])
  const staysCall = (part: ContentPart): boolean =>
    part.kind !== 'function_call' ||
    part.providerExecuted === true ||
    part.informational === true ||
    answered.has(part.callId)
  const parts = turn.parts.filter(staysCall)
  const lost = parts.length < turn.parts.length
  // Reasoning that led to a call which is gone is refused by providers.
  const shown = lost ? parts.filter((part) => part.kind !== 'reasoning') : parts
  const rest = results.flatMap((message) => {
    const left = message.parts.filter((part) => part.kind !== 'function_result' || called.has(part.callId))
    return left.length === 0 ? [] : [left.length === message.parts.length ? message : { ...message, parts: left }]
  })
  return [...(shown.length === 0 ? [] : [lost ? { ...turn, parts: shown } : turn]), ...rest]
}
