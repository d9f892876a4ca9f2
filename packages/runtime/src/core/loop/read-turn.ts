import type { ChatResponse } from '../chat/chat-client.ts'
import type { ContentPart, FunctionCallPart } from '../content/content-part.ts'
import { textOf, type Message } from '../content/message.ts'

/** A model turn as the loop understands it. */
export type Turn = {
  /** The assistant's message as it is kept: a call id repeated in it appears once. */
  readonly message: Message
  /** The calls Fairlead has to answer, in order. */
  readonly calls: readonly FunctionCallPart[]
  /** The assistant's own words beside the calls, at most 500 characters. */
  readonly modelReason: string | null
  /** The provider waits for a person before it carries out a call of its own. */
  readonly asksHost: boolean
}

const longestReason = 500

/**
 * Finds the calls of a turn by their parts, not by the finish reason. Calls told for information, run by the provider,
 * or already answered in the same turn are not ours. A repeated id runs once; a missing id gets one.
 */
export function readTurn(response: ChatResponse, turn: number): Turn {
  // One call is the common case: a set is made for the second.
  let seen: Set<string> | null = null
  let first: string | null = null
  const answered = answeredIds(response)
  const calls: FunctionCallPart[] = []
  const parts: ContentPart[] = []
  let asksHost = false
  for (const part of response.parts) {
    // Consent comes from the host's channel alone: what a model writes in its place is dropped.
    if (isConsent(part)) continue
    switch (part.kind) {
      case 'hosted_approval_request':
        asksHost = true
        parts.push(part)
        break
      case 'function_call': {
        const call = part.callId === '' ? { ...part, callId: `call_${turn}_${parts.length}` } : part
        if (first === null) first = call.callId
        else {
          seen ??= new Set([first])
          if (seen.has(call.callId)) break
          seen.add(call.callId)
        }
        parts.push(call)
        if (isOurs(call) && !answered.has(call.callId)) calls.push(call)
        break
      }
      default:
        parts.push(part)
    }
  }
  const text = textOf(response.parts).trim()
  return {
    message: { role: 'assistant', parts },
    calls,
    modelReason: text === '' ? null : clip(text),
    asksHost,
  }
}

/** Parts that stand for a person's consent, which no model gives. A provider's own question is none. */
export function isConsent({ kind }: ContentPart): boolean {
  return (
    kind === 'function_approval_request' || kind === 'function_approval_response' || kind === 'hosted_approval_response'
  )
}

const none: ReadonlySet<string> = new Set()

/** Ids of the calls the provider answered in the same turn. */
function answeredIds({ parts }: ChatResponse): ReadonlySet<string> {
  if (!parts.some((part) => part.kind === 'function_result')) return none
  return new Set(parts.flatMap((part) => (part.kind === 'function_result' ? [part.callId] : [])))
}

function isOurs(call: FunctionCallPart): boolean {
  return call.informational !== true && call.providerExecuted !== true
}

function clip(text: string): string {
  if (text.length <= longestReason) return text
  const cut = text.slice(0, longestReason - 1)
  // A half of a surrogate pair is no text.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
