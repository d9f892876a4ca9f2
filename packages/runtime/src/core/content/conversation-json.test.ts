import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeConversation, encodeConversation, type ContentPart, type Message } from '../index.ts'

const text = fc.string()
const part: fc.Arbitrary<ContentPart> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('reasoning' as const), text, providerMetadata: fc.constant({ signature: 'x' }) }),
  fc.record({ kind: fc.constant('data' as const), data: fc.jsonValue() as fc.Arbitrary<never> }),
  fc.record({ kind: fc.constant('file' as const), mediaType: text, data: text }),
  fc.record({ kind: fc.constant('function_call' as const), callId: text, name: text, arguments: text }),
  fc.record({
    kind: fc.constant('function_result' as const),
    callId: text,
    name: text,
    call: fc.constant(null),
    status: fc.constantFrom('success' as const, 'error' as const),
    content: fc.array(fc.record({ kind: fc.constant('text' as const), text })),
  }),
  fc.record({ kind: fc.constant('function_approval_response' as const), id: text, approved: fc.boolean(), by: text }),
)
const messages: fc.Arbitrary<Message[]> = fc.array(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), parts: fc.array(part) }),
)

describe('the versioned JSON of a conversation', () => {
  it('comes back the same after any trip through JSON text', () => {
    fc.assert(
      fc.property(messages, (conversation) => {
        const there = JSON.stringify(encodeConversation(conversation))
        expect(decodeConversation(JSON.parse(there))).toEqual(JSON.parse(JSON.stringify(conversation)))
      }),
    )
  })

  it.each([
    ['nothing', null, 'expected {version, messages}'],
    ['a newer version', { version: 2, messages: [] }, 'expected version 1, found 2'],
    ['no list', { version: 1, messages: {} }, 'messages: must be array'],
    ['an unknown role', { version: 1, messages: [{ role: 'boss', parts: [] }] }, 'messages.0.role: must be one of'],
    [
      'an unknown kind',
      { version: 1, messages: [{ role: 'user', parts: [{ kind: 'smell' }] }] },
      'messages.0.parts.0.kind: must be one of',
    ],
    [
      'a text without text',
      { version: 1, messages: [{ role: 'user', parts: [{ kind: 'text' }] }] },
      'messages.0.parts.0.text: is required',
    ],
    [
      'a call with parsed arguments',
      {
        version: 1,
        messages: [{ role: 'assistant', parts: [{ kind: 'function_call', callId: 'a', name: 'b', arguments: {} }] }],
      },
      'messages.0.parts.0.arguments: must be string',
    ],
  ])('refuses %s, naming the place', (_, value, words) => {
    expect(() => decodeConversation(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE', message: expect.stringContaining(words) }),
    )
  })
})
