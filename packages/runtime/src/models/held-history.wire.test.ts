import { createOpenAI } from '@ai-sdk/openai'
import { LLMock } from '@copilotkit/aimock'
import { createOpenAI as createOpenAIV4 } from 'openai-v4'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, tool } from '../core/index.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

type Body = { readonly input: readonly { readonly type?: string }[]; readonly [key: string]: unknown }

const providers: readonly { readonly name: string; readonly make: (url: string, see: typeof fetch) => AiSdkModel }[] = [
  {
    name: 'v3',
    make: (url, see) => createOpenAI({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see }).responses('gpt-4o'),
  },
  {
    name: 'v4',
    make: (url, see) => createOpenAIV4({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see }).responses('gpt-4o'),
  },
]

const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather of one city.',
  inputSchema: z.object({ location: z.string() }),
  effects: 'read',
  execute: ({ location }) => `${location}: 22 °C`,
})

describe.each(providers)('Responses API, $name', ({ make }) => {
  it.each([false, true])('sends only what the provider has not seen; streamed: %s', async (streamed) => {
    const mock = new LLMock({ port: 0 })
    const toolCalls = ['Oslo', 'Rome'].map((location) => ({
      name: 'get_weather',
      arguments: JSON.stringify({ location }),
    }))
    mock.on({ sequenceIndex: 0 }, { toolCalls })
    mock.on({}, { content: 'Warm.' })
    await mock.start()
    const sent: Body[] = []
    const model = make(mock.url, (input, init) => {
      if (typeof init?.body === 'string') sent.push(JSON.parse(init.body) as Body)
      return fetch(input, init)
    })
    const agent = new Agent({
      model: fromAiSdk(model, { serviceHeldHistory: true }),
      instructions: 'You know the weather.',
      tools: [getWeather],
    })
    const question = 'Weather in Oslo and Rome?'
    const result = await (streamed ? agent.stream(question).result : agent.run(question))
    await mock.stop()
    expect(result).toMatchObject({ stopReason: 'answered', text: 'Warm.', error: null })
    expect(sent.map((body) => body['instructions'])).toEqual(['You know the weather.', 'You know the weather.'])
    expect(sent[0]).not.toHaveProperty('previous_response_id')
    expect(sent[1]?.['previous_response_id']).toMatch(/^resp/)
    expect(sent[0]?.input).toHaveLength(1)
    expect(sent[1]?.input.map(({ type }) => type)).toEqual(['function_call_output', 'function_call_output'])
  })
})
