import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { LLMock } from '@copilotkit/aimock'
import { createAnthropic as createAnthropicV4 } from 'anthropic-v4'
import { createOpenAI as createOpenAIV4 } from 'openai-v4'
import { expect, it, onTestFinished } from 'vitest'
import { Agent, tool } from '../core/index.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

type Make = (url: string, see: typeof fetch) => AiSdkModel

const thinking = /"redacted_thinking","data":"red-1".*"thinking":"hm","signature":"sig-1".*"tool_use"/
const reference = /"type":"item_reference","id":"rs[-_].*"type":"function_call"/

const cases: readonly { readonly name: string; readonly make: Make; readonly echoed: RegExp }[] = [
  {
    name: 'anthropic',
    make: (url, see) => createAnthropic({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see })('claude-sonnet-4'),
    echoed: thinking,
  },
  {
    name: 'anthropic-v4',
    make: (url, see) => createAnthropicV4({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see })('claude-sonnet-4'),
    echoed: thinking,
  },
  {
    name: 'openai responses',
    make: (url, see) => createOpenAI({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see }).responses('o3'),
    echoed: reference,
  },
  {
    name: 'openai-v4 responses',
    make: (url, see) => createOpenAIV4({ apiKey: 'x', baseURL: `${url}/v1`, fetch: see }).responses('o3'),
    echoed: reference,
  },
]

const ways = cases.flatMap((wanted) => [false, true].map((streamed) => ({ ...wanted, streamed })))

it.each(ways)(
  'gives the provider its reasoning back with what it attached: $name, streamed: $streamed',
  async (way) => {
    const mock = new LLMock({ port: 0 })
    const toolCalls = [{ name: 'look', arguments: '{}' }]
    const attached = { reasoning: 'hm', reasoningSignature: 'sig-1', redactedThinking: ['red-1'] }
    mock.on({ hasToolResult: false }, { toolCalls, ...attached })
    mock.on({ hasToolResult: true }, { content: 'Done.' })
    await mock.start()
    onTestFinished(() => mock.stop())
    const sent: string[] = []
    const model = way.make(mock.url, (input, init) => {
      if (typeof init?.body === 'string') sent.push(init.body)
      return fetch(input, init)
    })
    const look = tool({
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      effects: 'read',
      execute: () => 'seen',
    })
    const agent = new Agent({ model: fromAiSdk(model), tools: [look] })
    const result = await (way.streamed ? agent.stream('Look').result : agent.run('Look'))
    expect(result).toMatchObject({ stopReason: 'answered', text: 'Done.' })
    expect(sent).toHaveLength(2)
    expect(sent[1]).toMatch(way.echoed)
  },
)
