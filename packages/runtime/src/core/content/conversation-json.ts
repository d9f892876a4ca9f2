import { FairleadError } from '../fairlead-error.ts'
import { findNonJson, isJsonObject, type Json } from '../json/json.ts'
import { compileJsonSchema, type CheckJson } from '../schema/compile-json-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Message } from './message.ts'

/** Version of the JSON form of messages. A reader refuses a newer one rather than guess. */
export const conversationVersion = 1

/** A conversation as versioned JSON, for keeping or sending it anywhere. */
export type ConversationJson = { readonly version: number; readonly messages: readonly Message[] }

/** Wraps messages with the version of their form. */
export function encodeConversation(messages: readonly Message[]): ConversationJson {
  return { version: conversationVersion, messages }
}

/**
 * Reads what `encodeConversation` wrote, from anywhere. Unknown members are kept, unknown kinds of parts are not
 * accepted. Throws `INVALID_MESSAGE` naming the place, what was expected and what was found.
 */
export function decodeConversation(value: unknown): readonly Message[] {
  if (!isJsonObject(value)) throw invalid('expected {version, messages}')
  const { version } = value
  if (version !== conversationVersion) {
    throw invalid(
      `expected version ${conversationVersion}, found ${JSON.stringify(version ?? null)}; read it with a Fairlead that knows it`,
    )
  }
  return requireMessages(value['messages'])
}

/** Checks that a value is a list of messages. Throws `INVALID_MESSAGE` where it is not. */
export function requireMessages(value: unknown): readonly Message[] {
  const check = checker()
  const issues = check((value ?? null) as Json)
  if (issues === null) {
    const nonJson = findNonJson(value)
    if (nonJson === null) return value as readonly Message[]
    throw invalid(`messages.${nonJson.path}: expected what JSON can carry, found ${nonJson.found}`)
  }
  // The union of part kinds gives one issue per kind; the deepest place says most.
  const [issue] = issues.toSorted((a, b) => b.path.length - a.path.length)
  throw invalid(
    `${issue?.path === '' || issue === undefined ? 'messages' : `messages.${issue.path}`}: ${issue?.message ?? 'is not a message'}`,
  )
}

function invalid(what: string): FairleadError {
  return new FairleadError('INVALID_MESSAGE', `Not a conversation: ${what}.`)
}

let compiled: CheckJson | undefined

function checker(): CheckJson {
  // Compiled at first use and kept: the schema never changes.
  compiled ??= compileJsonSchema(messagesSchema, { of: 'messages', fillDefaults: false, unsafePatterns: 'refuse' })
  return compiled
}

const text = { type: 'string' } as const
const optional = { providerMetadata: { type: 'object' } } as const

function part(
  kind: string,
  properties: { readonly [key: string]: JsonSchema },
  required: readonly string[],
): JsonSchema {
  return {
    if: { properties: { kind: { const: kind } }, required: ['kind'] },
    // oxlint-disable-next-line no-thenable -- JSON Schema's keyword
    then: { properties: { ...properties, ...optional }, required: [...required] },
  }
}

const kinds = [
  'text',
  'reasoning',
  'data',
  'file',
  'function_call',
  'function_result',
  'function_approval_request',
  'function_approval_response',
  'hosted_approval_request',
  'hosted_approval_response',
]

const messagesSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['role', 'parts'],
    properties: {
      role: { enum: ['system', 'user', 'assistant', 'tool'] },
      parts: { type: 'array', items: { $ref: '#/$defs/part' } },
    },
  },
  $defs: {
    part: {
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: kinds } },
      allOf: [
        part('text', { text }, ['text']),
        part('reasoning', { text }, ['text']),
        part('data', {}, ['data']),
        part('file', { mediaType: text, data: text, uri: text, name: text }, ['mediaType']),
        part('function_call', { callId: text, name: text, arguments: text }, ['callId', 'name', 'arguments']),
        part(
          'function_result',
          {
            callId: text,
            name: text,
            call: { type: ['string', 'null'] },
            status: { enum: ['success', 'error'] },
            content: { type: 'array', items: { $ref: '#/$defs/part' } },
            errorCode: text,
            evidenceUri: text,
          },
          ['callId', 'name', 'call', 'status', 'content'],
        ),
        part('function_approval_request', { id: text, call: text, tool: text, arguments: { type: 'object' } }, [
          'id',
          'call',
          'tool',
          'arguments',
        ]),
        part('hosted_approval_request', { id: text, callId: text }, ['id', 'callId']),
        part(
          'hosted_approval_response',
          { id: text, approved: { type: 'boolean' }, by: text, reason: text, runId: text },
          ['id', 'approved', 'by'],
        ),
        part('function_approval_response', { id: text, approved: { type: 'boolean' }, by: text, reason: text }, [
          'id',
          'approved',
          'by',
        ]),
      ],
    },
  },
}
