import { describe, expect, it } from 'vitest'
import { parseModelSpec } from './model-spec.ts'

describe('--model', () => {
  it.each([
    ['openai:gpt-5.1', { kind: 'openai', model: 'gpt-5.1' }],
    ['anthropic:claude-opus-5', { kind: 'anthropic', model: 'claude-opus-5' }],
    ['google:gemini-3-pro', { kind: 'google', model: 'gemini-3-pro' }],
    ['openai:ft:gpt-5:acme', { kind: 'openai', model: 'ft:gpt-5:acme' }],
    [
      'openai-compatible:http://127.0.0.1:8080/v1:qwen',
      { kind: 'openai-compatible', url: 'http://127.0.0.1:8080/v1', model: 'qwen' },
    ],
  ])('reads %s', (text, expected) => {
    expect(parseModelSpec(text)).toEqual(expected)
  })

  it.each([
    '',
    'gpt-5',
    'openai:',
    'mistral:x',
    'openai-compatible:qwen',
    'openai-compatible:http://127.0.0.1',
    'openai-compatible::x',
  ])('refuses %j naming the forms it takes', (text) => {
    expect(() => parseModelSpec(text)).toThrow(/--model takes openai:NAME/)
  })
})
