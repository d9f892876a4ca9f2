import { expect, it } from 'vitest'
import { isCut, readFinishReason, readUsage } from './read-finish.ts'

it.each([
  ['stop', 'stop'],
  ['tool-calls', 'tool_calls'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['error', 'error'],
  ['other', 'other'],
  ['one of next year', 'other'],
])('reads the finish reason %s as %s', (unified, expected) => {
  expect(readFinishReason({ unified, raw: 'x' })).toBe(expected)
})

it('knows a stream that its provider did not end', () => {
  expect(isCut({ unified: 'interrupted', raw: undefined })).toBe(true)
  expect(isCut({ unified: 'other', raw: undefined })).toBe(true)
  expect(isCut({ unified: 'other', raw: 'FUNCTION_CALL' })).toBe(false)
  expect(isCut({ unified: 'stop', raw: undefined })).toBe(false)
})

it('leaves usage unknown when the provider told none, and counts what it told', () => {
  const usage = (input: number | undefined, output: number | undefined): object | undefined =>
    readUsage({ inputTokens: { total: input }, outputTokens: { total: output } })
  expect(usage(undefined, undefined)).toBeUndefined()
  expect(readUsage(undefined)).toBeUndefined()
  expect(usage(3, 4)).toEqual({ inputTokens: 3, outputTokens: 4 })
  expect(usage(3, undefined)).toEqual({ inputTokens: 3, outputTokens: 0 })
})
