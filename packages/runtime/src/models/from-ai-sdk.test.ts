import { describe, expect, it } from 'vitest'
import { ModelCallError, type ChatRequest, type ChatUpdate } from '../core/index.ts'
import type { AiSdkModel, AiSdkPart, AiSdkTurn } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

const usage = { inputTokens: { total: 7 }, outputTokens: { total: 3 } }
const finish: AiSdkPart = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }

/** A model that answers every request the same way and keeps the options it was asked with. */
function modelOf(turn: Partial<AiSdkTurn>, stream: ReadableStream<AiSdkPart> = new ReadableStream()) {
  const asked: { [option: string]: unknown }[] = []
  const model: AiSdkModel = {
    specificationVersion: 'v4',
    provider: 'openai.responses',
    modelId: 'm',
    doGenerate: async (options) => {
      asked.push({ ...options })
      return { content: [], finishReason: { unified: 'stop', raw: 'stop' }, usage, ...turn }
    },
    doStream: async (options) => {
      asked.push({ ...options })
      return { stream }
    },
  }
  return { model, asked }
}

function requestOf(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    instructions: undefined,
    messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }],
    tools: [],
    toolChoice: 'auto',
    signal: new AbortController().signal,
    ...more,
  }
}

function streamOf(...parts: readonly AiSdkPart[]): ReadableStream<AiSdkPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

async function updatesOf(stream: ReadableStream<AiSdkPart>, signal?: AbortSignal): Promise<readonly ChatUpdate[]> {
  const { model } = modelOf({}, stream)
  const updates: ChatUpdate[] = []
  const source = fromAiSdk(model).stream?.(requestOf(signal === undefined ? {} : { signal }))
  for await (const update of source ?? []) updates.push(update)
  return updates
}

describe('what the provider is asked', () => {
  it('gets tools, choice, settings, headers, options and the signal', async () => {
    const { model, asked } = modelOf({})
    const client = fromAiSdk(model, {
      temperature: 0,
      headers: { 'x-team': 'a' },
      providerOptions: { openai: { store: false, user: 'a' } },
    })
    const inputSchema = { type: 'object' }
    const request = requestOf({
      toolChoice: { tool: 'a' },
      tools: [
        { name: 'a', description: 'A.', inputSchema, strict: true },
        { name: 'b', description: 'B.', inputSchema, strict: false },
      ],
      providerOptions: { openai: { user: 'b' }, other: { x: 1 } },
    })
    await client.generate(request)
    expect(client.model).toBe('openai.responses:m')
    expect(asked[0]).toEqual({
      temperature: 0,
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: [
        { type: 'function', name: 'a', description: 'A.', inputSchema, strict: true },
        { type: 'function', name: 'b', description: 'B.', inputSchema },
      ],
      toolChoice: { type: 'tool', toolName: 'a' },
      abortSignal: request.signal,
      headers: { 'x-team': 'a' },
      providerOptions: { openai: { store: false, user: 'b' }, other: { x: 1 } },
    })
    const [first] = asked.flatMap((options) => options['tools'] as readonly { readonly inputSchema: object }[])
    expect(first?.inputSchema).toBe(inputSchema)
  })

  it.each(['auto', 'none', 'required'] as const)('gets the tool choice %s, and none without tools', async (choice) => {
    const { model, asked } = modelOf({})
    const tools = [{ name: 'a', description: 'A.', inputSchema: {}, strict: false }]
    await fromAiSdk(model).generate(requestOf({ toolChoice: choice, tools }))
    await fromAiSdk(model).generate(requestOf({ toolChoice: choice }))
    expect(asked.map((options) => options['toolChoice'])).toEqual([{ type: choice }, undefined])
    expect(asked[1]).not.toHaveProperty('tools')
  })

  it('goes on from a history that the provider holds', async () => {
    const { model, asked } = modelOf({ providerMetadata: { openai: { responseId: 'resp_1' } } })
    const client = fromAiSdk(model, { serviceHeldHistory: true })
    const first = await client.generate(requestOf({ instructions: 'Be brief.' }))
    expect(first.conversationId).toBe('resp_1')
    await client.generate(requestOf({ instructions: 'Be brief.', conversationId: 'resp_1' }))
    expect(asked.map((options) => options['providerOptions'])).toEqual([
      { openai: { instructions: 'Be brief.' } },
      { openai: { previousResponseId: 'resp_1', instructions: 'Be brief.' } },
    ])
    expect(asked[0]?.['prompt']).toHaveLength(1)
  })

  it('refuses what is no model, and held history where there is none', () => {
    const { model } = modelOf({})
    for (const wrong of ['openai/gpt-5', null, { ...model, specificationVersion: 'v2' }]) {
      expect(() => fromAiSdk(wrong as AiSdkModel)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    }
    const chat = { ...model, provider: 'openai.chat' }
    expect(() => fromAiSdk(chat, { serviceHeldHistory: true })).toThrow(/Responses API, found openai\.chat/)
  })
})

describe('what the provider answers', () => {
  const providerMetadata = { openai: { itemId: 'i1' } }

  it('gives every part Fairlead knows and counts the others', async () => {
    const { model } = modelOf({
      content: [
        { type: 'reasoning', text: 'hm', providerMetadata },
        { type: 'text', text: '' },
        { type: 'text', text: 'Hi', providerMetadata },
        { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
        { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'a', input: '{"x":', providerMetadata },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: '{}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'c2', toolName: 'search', result: 'half', preliminary: true },
        { type: 'tool-result', toolCallId: 'c2', toolName: 'search', result: [1], isError: true },
        { type: 'source' },
        { type: 'tool-approval-request', toolCallId: 'c2' },
        { type: 'hologram' },
      ],
    })
    const response = await fromAiSdk(model).generate(requestOf())
    expect(response).toEqual({
      parts: [
        { kind: 'reasoning', text: 'hm', providerMetadata },
        { kind: 'text', text: 'Hi', providerMetadata },
        { kind: 'file', mediaType: 'image/png', data: 'AQID' },
        { kind: 'file', mediaType: 'image/png', data: 'AQID' },
        { kind: 'file', mediaType: 'image/png', uri: 'https://example.com/a.png' },
        { kind: 'function_call', callId: 'c1', name: 'a', arguments: '{"x":', providerMetadata },
        { kind: 'function_call', callId: 'c2', name: 'search', arguments: '{}', providerExecuted: true },
        {
          kind: 'function_result',
          callId: 'c2',
          name: 'search',
          call: null,
          status: 'error',
          content: [{ kind: 'data', data: [1] }],
          providerExecuted: true,
        },
      ],
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 3 },
      ignoredParts: 4,
    })
  })

  it('streams deltas as they come, keeps late metadata and tells texts with one id apart', async () => {
    const updates = await updatesOf(
      streamOf(
        { type: 'stream-start' },
        { type: 'reasoning-start', id: 'r', providerMetadata },
        { type: 'reasoning-end', id: 'r' },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'He' },
        { type: 'text-delta', id: '0', delta: '' },
        { type: 'text-delta', id: '0', delta: 'llo' },
        { type: 'text-end', id: '0', providerMetadata },
        { type: 'tool-input-start', id: 'c1' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'a', input: '{}' },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'Bye' },
        { type: 'ping' },
        { type: 'source' },
        finish,
      ),
    )
    expect(updates).toEqual([
      { kind: 'reasoning-delta', id: '0', text: '', providerMetadata },
      { kind: 'text-delta', id: '1', text: 'He' },
      { kind: 'text-delta', id: '1', text: 'llo' },
      { kind: 'text-delta', id: '1', text: '', providerMetadata },
      { kind: 'part', part: { kind: 'function_call', callId: 'c1', name: 'a', arguments: '{}' } },
      { kind: 'text-delta', id: '2', text: 'Bye' },
      { kind: 'finish', finishReason: 'stop', usage: { inputTokens: 7, outputTokens: 3 }, ignoredParts: 1 },
    ])
  })

  it('gives no finish for a stream that ended without one, or that the provider calls interrupted', async () => {
    const text: AiSdkPart = { type: 'text-delta', id: '0', delta: 'Hel' }
    const only = [{ kind: 'text-delta', id: '0', text: 'Hel' }]
    expect(await updatesOf(streamOf(text))).toEqual(only)
    const interrupted = { ...finish, finishReason: { unified: 'interrupted', raw: undefined } }
    expect(await updatesOf(streamOf(text, interrupted))).toEqual(only)
  })

  it.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'Overloaded', true],
    [{ error: { code: 'server_error', message: 'Try again' } }, 'Try again', true],
    [{ code: 503, status: 'UNAVAILABLE' }, 'UNAVAILABLE', true],
    [{ type: 'invalid_request_error', message: 'No' }, 'No', false],
    ['plain', 'plain', false],
    [undefined, 'The provider reported an error without a text.', false],
  ])('throws the error a stream holds: %j', async (error, message, retryable) => {
    const thrown = await updatesOf(streamOf({ type: 'error', error }, finish)).catch((caught: unknown) => caught)
    expect(thrown).toBeInstanceOf(ModelCallError)
    expect(thrown).toMatchObject({ message, retryable })
  })

  it('lets an error object through as it is', async () => {
    const error = Object.assign(new Error('429'), { statusCode: 429, responseHeaders: { 'retry-after': '3' } })
    await expect(updatesOf(streamOf({ type: 'error', error }))).rejects.toBe(error)
  })
})

describe('abort', () => {
  it('rejects before the provider is asked', async () => {
    const { model, asked } = modelOf({})
    const request = requestOf({ signal: AbortSignal.abort(new Error('enough')) })
    await expect(fromAiSdk(model).generate(request)).rejects.toThrow('enough')
    const source = fromAiSdk(model).stream?.(request)
    await expect(source?.[Symbol.asyncIterator]().next()).rejects.toThrow('enough')
    expect(asked).toHaveLength(0)
  })

  it('cancels a stream whose provider does not look at the signal, and sends nothing more', async () => {
    const controller = new AbortController()
    let cancelled: unknown
    const stream = new ReadableStream<AiSdkPart>({
      pull: () => new Promise(() => undefined),
      cancel: (reason) => {
        cancelled = reason
      },
    })
    const waiting = updatesOf(stream, controller.signal)
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(cancelled).toEqual(new Error('enough'))
  })

  it('cancels the stream when nobody reads on', async () => {
    let cancelled = false
    const stream = new ReadableStream<AiSdkPart>({
      pull: (controller) => controller.enqueue({ type: 'text-delta', id: '0', delta: 'a' }),
      cancel: () => {
        cancelled = true
      },
    })
    const { model } = modelOf({}, stream)
    for await (const update of fromAiSdk(model).stream?.(requestOf()) ?? []) {
      expect(update.kind).toBe('text-delta')
      break
    }
    expect(cancelled).toBe(true)
  })
})
