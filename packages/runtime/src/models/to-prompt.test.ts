import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContentPart, FunctionResultPart, Message } from '../core/index.ts'
import { callIdOf } from '../core/index.ts'
import { toPrompt, type PromptSetting } from './to-prompt.ts'

const setting: PromptSetting = { version: 'v4', instructions: undefined, toolNames: new Set(['get_weather']) }

function call(text: string, more: object = {}): ContentPart {
  return { kind: 'function_call', callId: 'c1', name: 'get_weather', arguments: text, ...more }
}

function result(content: FunctionResultPart['content'], more: object = {}): FunctionResultPart {
  return {
    kind: 'function_result',
    callId: 'c1',
    name: 'get_weather',
    call: callIdOf('run_1', 1, 0),
    status: 'success',
    content,
    ...more,
  }
}

function assistant(...parts: readonly ContentPart[]): Message {
  return { role: 'assistant', parts }
}

describe('toPrompt', () => {
  it('puts instructions first, then each role with its parts', () => {
    const messages: Message[] = [
      { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'Hi' }] },
      assistant({ kind: 'reasoning', text: 'hm' }, { kind: 'text', text: 'Let me see' }, call('{"location":"Oslo"}')),
      { role: 'tool', parts: [result([{ kind: 'text', text: '2 °C' }])] },
    ]
    expect(toPrompt(messages, { ...setting, instructions: 'You help.' })).toEqual([
      { role: 'system', content: 'You help.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'Let me see' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'get_weather', input: { location: 'Oslo' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'get_weather',
            output: { type: 'text', value: '2 °C' },
          },
        ],
      },
    ])
  })

  it.each([
    ['', {}],
    ['  ', {}],
    ['{"a":', { malformed_arguments: '{"a":' }],
    ['[1]', { malformed_arguments: '[1]' }],
    ['null', { malformed_arguments: 'null' }],
    ['```json\n{}\n```', { malformed_arguments: '```json\n{}\n```' }],
  ])('sends arguments %j as an object', (text, input) => {
    const [message] = toPrompt([assistant(call(text))], setting)
    expect(message?.content[0]).toMatchObject({ type: 'tool-call', input })
  })

  it('echoes provider metadata untouched on every kind of part', () => {
    const providerMetadata = { google: { thoughtSignature: 'abc' }, anthropic: { nested: [1, { a: null }] } }
    const parts: ContentPart[] = [
      { kind: 'text', text: '', providerMetadata },
      { kind: 'reasoning', text: '', providerMetadata },
      { kind: 'data', data: { a: 1 }, providerMetadata },
      { kind: 'file', mediaType: 'image/png', data: 'AAAA', providerMetadata },
      { kind: 'file', mediaType: 'image/png', providerMetadata },
      call('{}', { providerMetadata }),
      result([], { providerMetadata, call: null, providerExecuted: true }),
    ]
    const [message] = toPrompt([assistant(...parts)], setting)
    if (message === undefined || message.role === 'system') throw new Error('no message')
    expect(message.content).toHaveLength(parts.length)
    for (const part of message.content) expect(part.providerOptions).toBe(providerMetadata)
  })

  it('gives files in the shape of each generation', () => {
    const messages: Message[] = [
      {
        role: 'user',
        parts: [
          { kind: 'file', mediaType: 'image/png', data: 'AAAA', name: 'a.png' },
          { kind: 'file', mediaType: 'image/png', uri: 'https://example.com/a.png' },
          { kind: 'file', mediaType: 'text/plain', uri: 'data:text/plain;base64,AAAA' },
        ],
      },
    ]
    const datas = (version: 'v3' | 'v4'): readonly unknown[] => {
      const [message] = toPrompt(messages, { ...setting, version })
      if (message === undefined || message.role === 'system') throw new Error('no message')
      return message.content.map((part) => (part.type === 'file' ? part.data : null))
    }
    const url = new URL('https://example.com/a.png')
    expect(datas('v3')).toEqual(['AAAA', url, 'AAAA'])
    expect(datas('v4')).toEqual([
      { type: 'data', data: 'AAAA' },
      { type: 'url', url },
      { type: 'data', data: 'AAAA' },
    ])
  })

  it('leaves out empty texts, approval parts and messages that come out empty', () => {
    const request = { id: 'a', call: callIdOf('run_1', 1, 0), tool: 'get_weather', arguments: {} }
    const messages: Message[] = [
      assistant({ kind: 'text', text: '' }, { kind: 'function_approval_request', ...request }),
      { role: 'user', parts: [{ kind: 'function_approval_response', id: 'a', approved: true, by: 'ann' }] },
      { role: 'system', parts: [] },
      { role: 'user', parts: [{ kind: 'text', text: 'Hi' }] },
    ]
    expect(toPrompt(messages, setting)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
  })

  it('moves a note beside results into a message of the user', () => {
    const parts: ContentPart[] = [result([]), { kind: 'text', text: 'Settled since.' }]
    expect(toPrompt([{ role: 'tool', parts }], setting)).toMatchObject([
      { role: 'tool', content: [{ type: 'tool-result' }] },
      { role: 'user', content: [{ type: 'text', text: 'Settled since.' }] },
    ])
  })

  it('makes a name the model invented fit for providers, in the call and in its result', () => {
    const name = 'multi_tool_use.parallel, please'
    const messages: Message[] = [
      assistant(call('{}', { name })),
      { role: 'tool', parts: [result([], { name, status: 'error', errorCode: 'UNKNOWN_TOOL' })] },
    ]
    const names = toPrompt(messages, setting).flatMap((message) =>
      message.role === 'system' ? [] : message.content.map((part) => 'toolName' in part && part.toolName),
    )
    expect(names).toEqual(['multi_tool_use_parallel__please', 'multi_tool_use_parallel__please'])
    const known = toPrompt(messages, { ...setting, toolNames: new Set([name]) })
    expect(known[0]).toMatchObject({ content: [{ toolName: name }] })
  })

  it('never throws on arguments and always sends an object', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const [message] = toPrompt([assistant(call(text))], setting)
        const part = message?.role === 'assistant' ? message.content[0] : undefined
        expect(part?.type === 'tool-call' && typeof part.input === 'object' && !Array.isArray(part.input)).toBe(true)
      }),
    )
  })
})
