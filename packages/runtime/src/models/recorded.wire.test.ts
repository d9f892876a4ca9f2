import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenAI } from '@ai-sdk/openai'
import { LLMock } from '@copilotkit/aimock'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Agent, tool, type ChatClient, type RunResult } from '../core/index.ts'
import { fromAiSdk } from './from-ai-sdk.ts'
import { recorded } from './recorded.ts'

const getWeather = tool({
  name: 'get_weather',
  description: 'Current weather of one city.',
  inputSchema: z.object({ location: z.string() }),
  effects: 'read',
  execute: ({ location }) => `${location}: 22 °C`,
})

function ask(model: ChatClient): Promise<RunResult> {
  const agent = new Agent({ model, tools: [getWeather] })
  return agent.stream('Weather in Oslo and Rome?').result
}

it('replays a provider that is gone, and its file holds neither key nor headers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-cassette-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'turns.jsonl')
  const mock = new LLMock({ port: 0 })
  const toolCalls = ['Oslo', 'Rome'].map((location) => ({
    name: 'get_weather',
    arguments: JSON.stringify({ location }),
  }))
  mock.on({ hasToolResult: false }, { toolCalls })
  mock.on({ hasToolResult: true }, { content: 'Warm.' })
  await mock.start()
  const openai = createOpenAI({ apiKey: 'key-of-the-test', baseURL: `${mock.url}/v1` })
  const client = fromAiSdk(openai.responses('gpt-4o'), { headers: { 'x-team': 'header-of-the-test' } })
  const live = await ask(recorded(client, file, { mode: 'record' }))
  const requests = mock.getRequests().length
  await mock.stop()
  expect(live).toMatchObject({ stopReason: 'answered', text: 'Warm.' })
  expect(requests).toBe(2)
  const replayed = await ask(recorded(null, file))
  expect(replayed).toMatchObject({ stopReason: 'answered', text: 'Warm.', usage: live.usage })
  expect(await ask(recorded(client, file))).toMatchObject({ stopReason: 'answered', text: 'Warm.' })
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('"openai.responses:gpt-4o"')
  expect(text).not.toMatch(/key-of-the-test|header-of-the-test/)
})
