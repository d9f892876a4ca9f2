import { FairleadError } from '../fairlead-error.ts'
import { findNonJson } from '../json/json.ts'
import type { ChatResponse } from './chat-client.ts'

const textsOf: { readonly [kind: string]: readonly string[] } = {
  text: ['text'],
  reasoning: ['text'],
  data: [],
  file: ['mediaType'],
  function_call: ['callId', 'name', 'arguments'],
  function_result: ['callId', 'name'],
  function_approval_request: [],
  function_approval_response: [],
  hosted_approval_request: ['id', 'callId'],
  hosted_approval_response: [],
}

/**
 * A model turn comes from outside: checks that it is a list of known parts that JSON can carry, before anything is kept
 * of it. Parts of unknown kinds are left out and counted. Throws `MODEL_ERROR` naming what is wrong.
 */
export function readResponse(value: ChatResponse): ChatResponse {
  const response: unknown = value
  if (typeof response !== 'object' || response === null) throw malformed(`it is ${String(response)}`)
  const { parts, finishReason, conversationId } = value
  if (!Array.isArray(parts)) throw malformed('it has no list of parts')
  if (typeof finishReason !== 'string') throw malformed('it has no finish reason')
  if (conversationId !== undefined && typeof conversationId !== 'string')
    throw malformed('its conversation id is no text')
  let unknown = 0
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index]
    const kind: unknown = (part as { readonly kind?: unknown } | null | undefined)?.kind
    if (typeof kind !== 'string') throw malformed(`part ${index} has no kind`)
    const texts = Object.hasOwn(textsOf, kind) ? textsOf[kind] : undefined
    if (texts === undefined) unknown++
    else requireTexts(part as { readonly [name: string]: unknown }, texts, index)
    const nonJson = findNonJson(part)
    if (nonJson !== null) throw malformed(`part ${index} holds ${nonJson.found} at "${nonJson.path}"`)
  }
  if (unknown === 0) return value
  return {
    ...value,
    parts: parts.filter((part) => Object.hasOwn(textsOf, part.kind)),
    ignoredParts: (value.ignoredParts ?? 0) + unknown,
  }
}

function requireTexts(part: { readonly [name: string]: unknown }, names: readonly string[], index: number): void {
  for (const name of names) {
    if (typeof part[name] !== 'string') throw malformed(`part ${index} (${String(part['kind'])}) has no text "${name}"`)
  }
}

function malformed(what: string): FairleadError {
  return new FairleadError('MODEL_ERROR', `The model client gave a malformed turn: ${what}.`)
}
