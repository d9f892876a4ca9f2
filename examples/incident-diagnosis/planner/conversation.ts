import { textOf, type ContentPart, type Json, type Message } from '@fairlead/runtime'
import { oneLine } from '../report/index.ts'

/** A call of this conversation and what became of it. */
export type Outcome =
  | { readonly kind: 'success'; readonly data: Json; readonly uri: string }
  | { readonly kind: 'failure'; readonly code: string; readonly words: string }
  | { readonly kind: 'unanswered' }

/** What was said and called since the last prompt. Calls are keyed by the planner's own call ids. */
export type Conversation = { readonly prompt: string; readonly outcomes: ReadonlyMap<string, Outcome> }

/** Reads the part of a history that belongs to the newest prompt. */
export function readConversation(messages: readonly Message[]): Conversation {
  const at = messages.findLastIndex((message) => message.role === 'user' && textOf(message.parts).trim() !== '')
  const prompt = textOf(messages[at]?.parts ?? [])
  const outcomes = new Map<string, Outcome>()
  for (const message of messages.slice(at + 1)) {
    for (const part of message.parts) {
      if (part.kind === 'function_call' && !outcomes.has(part.callId)) outcomes.set(part.callId, { kind: 'unanswered' })
      if (part.kind === 'function_result') outcomes.set(part.callId, outcomeOf(part))
    }
  }
  return { prompt, outcomes }
}

function outcomeOf(part: Extract<ContentPart, { readonly kind: 'function_result' }>): Outcome {
  const words = part.content.flatMap((each) => (each.kind === 'text' ? [each.text] : [])).join('\n')
  if (part.status === 'error') return { kind: 'failure', code: part.errorCode ?? 'INTERNAL', words }
  const data = part.content.find((each) => each.kind === 'data')?.data ?? parseJson(words)
  // A result over the observation budget comes as words that point to the evidence instead of as data.
  if (data === null) return { kind: 'failure', code: 'RESULT_TOO_LARGE', words }
  return { kind: 'success', data: inLines(data), uri: part.evidenceUri ?? `call://${part.callId}` }
}

/** The same data with every text on one line: what is quoted in sentences must not make lines of its own. */
function inLines(data: Json): Json {
  if (typeof data === 'string') return oneLine(data)
  if (typeof data !== 'object' || data === null) return data
  if (Array.isArray(data)) return data.map(inLines)
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, inLines(value)]))
}

/** A text's JSON; `null` stands for no JSON as well, since no tool answers it. */
function parseJson(text: string): Json {
  try {
    // What JSON.parse returns is JSON.
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
