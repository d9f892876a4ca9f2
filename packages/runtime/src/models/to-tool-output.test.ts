import { expect, it } from 'vitest'
import { callIdOf, evidenceUriOf, type FunctionResultPart } from '../core/index.ts'
import { toToolOutput } from './to-tool-output.ts'

const id = callIdOf('run_1', 1, 0)
const text = { kind: 'text', text: 'one' } as const
const data = { kind: 'data', data: { a: [1] } } as const
const image = { kind: 'file', mediaType: 'image/png', data: 'AAAA' } as const
const document = {
  kind: 'file',
  mediaType: 'application/pdf',
  uri: 'https://example.com/a.pdf',
  name: 'a.pdf',
} as const

function part(content: FunctionResultPart['content'], more: Partial<FunctionResultPart> = {}): FunctionResultPart {
  return {
    kind: 'function_result',
    callId: 'c1',
    name: 'get_weather',
    call: id,
    status: 'success',
    content,
    evidenceUri: evidenceUriOf('run_1', id),
    ...more,
  }
}

const failed = { status: 'error', errorCode: 'INTERNAL' } as const

it.each([
  ['nothing', part([]), { type: 'text', value: '' }],
  ['one text', part([text]), { type: 'text', value: 'one' }],
  ['one value', part([data]), { type: 'json', value: { a: [1] } }],
  ['an error text', part([text], failed), { type: 'error-text', value: 'one' }],
  ['an error value', part([data], failed), { type: 'error-json', value: { a: [1] } }],
  ['an error of two items', part([text, data], failed), { type: 'error-text', value: 'one\n{"a":[1]}' }],
  [
    'a refusal by a person',
    part([text], { status: 'error', errorCode: 'APPROVAL_DENIED' }),
    { type: 'execution-denied', reason: 'one' },
  ],
  [
    'two items',
    part([text, data]),
    {
      type: 'content',
      value: [
        { type: 'text', text: 'one' },
        { type: 'text', text: '{"a":[1]}' },
      ],
    },
  ],
])('gives the provider %s as such, and nothing of the evidence', (_, given, expected) => {
  expect(toToolOutput(given, 'v3')).toEqual(expected)
  expect(toToolOutput(given, 'v4')).toEqual(expected)
})

it('gives files in the shape of each generation', () => {
  const lost = { kind: 'file', mediaType: 'image/png' } as const
  const notice = { type: 'text', text: '[A file of type image/png that cannot be shown]' }
  expect(toToolOutput(part([image, document, lost]), 'v3')).toEqual({
    type: 'content',
    value: [
      { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
      { type: 'file-url', url: 'https://example.com/a.pdf' },
      notice,
    ],
  })
  expect(toToolOutput(part([image, document, lost]), 'v4')).toEqual({
    type: 'content',
    value: [
      { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' },
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://example.com/a.pdf') },
        mediaType: 'application/pdf',
        filename: 'a.pdf',
      },
      notice,
    ],
  })
})

it('keeps the file of an error result, without the mark of an error', () => {
  expect(toToolOutput(part([text, image], failed), 'v4')).toMatchObject({
    type: 'content',
    value: [{ type: 'text' }, { type: 'file' }],
  })
})
