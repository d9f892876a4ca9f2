import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { LLMock } from '@copilotkit/aimock'
import { createAnthropic as createAnthropicV4 } from 'anthropic-v4'
import { createGoogleGenerativeAI as createGoogleV4 } from 'google-v4'
import { createOpenAICompatible as createOpenAICompatibleV4 } from 'openai-compatible-v4'
import { createOpenAI as createOpenAIV4 } from 'openai-v4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Agent, tool, type Message, type RunResult } from '../core/index.ts'
import { ManualClock } from '../testing/index.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import { fromAiSdk } from './from-ai-sdk.ts'

const apiKey = 'not-a-key'

const providers: readonly { readonly name: string; readonly at: (url: string) => AiSdkModel }[] = [
  { name: 'openai chat', at: (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat('gpt-4o') },
  { name: 'openai responses', at: (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses('gpt-4o') },
  { name: 'anthropic', at: (url) => createAnthropic({ apiKey, baseURL: `${url}/v1` })('claude-sonnet-4') },
  { name: 'google', at: (url) => createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })('gemini-2.5-flash') },
  {
    name: 'openai-compatible',
    at: (url) => createOpenAICompatible({ name: 'local', apiKey, baseURL: `${url}/v1`, includeUsage: true })('any'),
  },
  { name: 'openai-v4 chat', at: (url) => createOpenAIV4({ apiKey, baseURL: `${url}/v1` }).chat('gpt-4o') },
  { name: 'openai-v4 responses', at: (url) => createOpenAIV4({ apiKey, baseURL: `${url}/v1` }).responses('gpt-4o') },
  { name: 'anthropic-v4', at: (url) => createAnthropicV4({ apiKey, baseURL: `${url}/v1` })('claude-sonnet-4') },
  { name: 'google-v4', at: (url) => createGoogleV4({ apiKey, baseURL: `${url}/v1beta` })('gemini-2.5-flash') },
  {
    name: 'openai-compatible-v4',
    at: (url) => createOpenAICompatibleV4({ name: 'local', apiKey, baseURL: `${url}/v1`, includeUsage: true })('any'),
  },
]

/** A clock that moves by hand and knows how long people wanted to wait. */
class WatchedClock extends ManualClock {
  readonly waits: number[] = []

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(ms)
    return super.sleep(ms, signal)
  }
}

/** Runs until the end of the test. */
async function mockServer(prepare: (mock: LLMock) => void, options: { chunkSize?: number } = {}): Promise<LLMock> {
  const mock = new LLMock({ port: 0, ...options })
  prepare(mock)
  await mock.start()
  onTestFinished(() => mock.stop())
  return mock
}

type Onward = (answer: IncomingMessage, outgoing: ServerResponse) => void

/** A proxy on loopback that sends requests on as they are; `onward` decides what becomes of the answers. */
async function proxyTo(target: string, onward: Onward): Promise<{ url: string; breakConnections: () => void }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const sent = sendRequest(new URL(url, target), { method, headers }, (answer) => onward(answer, outgoing))
    outgoing.on('close', () => sent.destroy())
    sent.on('error', () => outgoing.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakConnections: () => server.closeAllConnections(),
  }
}

/** Ends a streamed answer cleanly after some of its events, as a broken proxy would. */
function cutAfter(keptEvents: number): Onward {
  return (answer, outgoing) => {
    let body = ''
    answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    answer.on('end', () => {
      const separator = body.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n'
      const kept = body.split(separator).slice(0, keptEvents)
      outgoing.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] ?? '' })
      outgoing.end(kept.map((event) => event + separator).join(''))
    })
  }
}

function passOn(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.on('error', () => outgoing.destroy())
  answer.pipe(outgoing)
}

function agentOf(model: AiSdkModel, clock?: ManualClock) {
  const asked: string[] = []
  const getWeather = tool({
    name: 'get_weather',
    description: 'Current weather of one city.',
    inputSchema: z.strictObject({ location: z.string() }),
    effects: 'read',
    execute: ({ location }) => {
      asked.push(location)
      return `${location}: 22 °C`
    },
  })
  const agent = new Agent({
    model: fromAiSdk(model),
    instructions: 'You know the weather.',
    tools: [getWeather],
    ...(clock === undefined ? {} : { clock }),
  })
  return { agent, asked }
}

async function run(agent: Agent, streamed: boolean, signal?: AbortSignal): Promise<RunResult> {
  const options = signal === undefined ? {} : { signal }
  if (!streamed) return agent.run('Weather in Oslo and Rome?', options)
  const stream = agent.stream('Weather in Oslo and Rome?', options)
  for await (const update of stream) expect(update.kind).toBeTypeOf('string')
  return stream.result
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

/** The pairing every provider insists on: each call of the conversation has exactly one result. */
function unpairedCalls(messages: readonly Message[]): readonly string[] {
  const parts = messages.flatMap((message) => message.parts)
  return parts.flatMap((part) => {
    if (part.kind !== 'function_call') return []
    const results = parts.filter((other) => other.kind === 'function_result' && other.callId === part.callId)
    return results.length === 1 ? [] : [part.callId]
  })
}

/** In the words of every provider at once: each takes its own. */
function usageOf(input: number, output: number): { [name: string]: number } {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    input_tokens: input,
    output_tokens: output,
    promptTokenCount: input,
    candidatesTokenCount: output,
  }
}

const twoCalls = {
  toolCalls: [
    { id: 'call_oslo', name: 'get_weather', arguments: '{"location":"Oslo"}' },
    { id: 'call_rome', name: 'get_weather', arguments: '{"location":"Rome"}' },
  ],
  usage: usageOf(11, 5),
}
const finalText = 'Oslo has 22 °C, and so has Rome.'

function talks(mock: LLMock): void {
  mock.on({ hasToolResult: false }, twoCalls)
  mock.on({ hasToolResult: true }, { content: finalText, usage: usageOf(13, 7) })
}

const modes = [
  { mode: 'whole', streamed: false },
  { mode: 'streamed', streamed: true },
] as const

describe.each(providers)('$name', ({ at }) => {
  it.each(modes)('runs two parallel calls and ends with a text, $mode', async ({ streamed }) => {
    const mock = await mockServer(talks)
    const { agent, asked } = agentOf(at(mock.url))
    const result = await run(agent, streamed)
    expect(result).toMatchObject({ stopReason: 'answered', text: finalText, error: null })
    expect(asked.toSorted()).toEqual(['Oslo', 'Rome'])
    expect(unpairedCalls(result.messages)).toEqual([])
    const requests = mock.getRequests()
    expect(requests).toHaveLength(2)
    expect(JSON.stringify(requests[1]?.body)).toMatch(/Oslo: 22 °C.*Rome: 22 °C/)
    expect(result.usage).toEqual({ inputTokens: 24, outputTokens: 12 })
  })

  it.each(modes)('waits as long as a 429 asks, then asks again, $mode', async ({ streamed }) => {
    const mock = await mockServer((mock) => {
      const error = { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 }
      mock.on({ hasToolResult: false, sequenceIndex: 0 }, error)
      talks(mock)
    })
    const clock = new WatchedClock()
    const { agent } = agentOf(at(mock.url), clock)
    const running = run(agent, streamed)
    await until(() => clock.waits.includes(7000))
    expect(mock.getRequests()).toHaveLength(1)
    await clock.advance(7000)
    expect(await running).toMatchObject({ stopReason: 'answered', text: finalText })
    expect(mock.getRequests()).toHaveLength(3)
  })

  it('asks again after two 500s', async () => {
    const mock = await mockServer(talks)
    mock.nextRequestError(500).nextRequestError(500)
    const clock = new WatchedClock()
    const { agent } = agentOf(at(mock.url), clock)
    const running = run(agent, true)
    for (const wait of [500, 1000]) {
      await until(() => clock.waits.includes(wait))
      await clock.advance(wait)
    }
    expect(await running).toMatchObject({ stopReason: 'answered', text: finalText })
    expect(mock.getRequests()).toHaveLength(4)
  })

  it.each(modes)('ends with model_error when 500s do not end, $mode', async ({ streamed }) => {
    const mock = await mockServer((mock) => {
      mock.on({}, { error: { message: 'Broken inside', type: 'server_error' }, status: 500 })
    })
    const clock = new WatchedClock()
    const { agent, asked } = agentOf(at(mock.url), clock)
    const running = run(agent, streamed)
    for (const wait of [500, 1000]) {
      await until(() => clock.waits.includes(wait))
      await clock.advance(wait)
    }
    const result = await running
    expect(result).toMatchObject({ stopReason: 'model_error', error: expect.stringContaining('Broken inside') })
    expect(asked).toEqual([])
    expect(mock.getRequests()).toHaveLength(3)
  })

  it('ends with model_error when the connection breaks inside the stream, and the session stays valid', async () => {
    const mock = await mockServer(
      (mock) => {
        mock.on({ hasToolResult: false, sequenceIndex: 0 }, { content: 'x'.repeat(4000) }, { latency: 5 })
        talks(mock)
      },
      { chunkSize: 4 },
    )
    const proxy = await proxyTo(mock.url, passOn)
    const { agent } = agentOf(at(proxy.url))
    const session = await agent.session()
    const stream = agent.stream('Weather?', { session })
    let deltas = 0
    for await (const update of stream) {
      if (update.kind === 'text-delta' && ++deltas === 3) proxy.breakConnections()
    }
    const broken = await stream.result
    expect(deltas).toBeGreaterThanOrEqual(3)
    expect(broken.stopReason).toBe('model_error')
    expect(broken.error).not.toBeNull()
    expect(mock.getRequests()).toHaveLength(1)
    expect(await agent.run('Again?', { session })).toMatchObject({ stopReason: 'answered', text: finalText })
  })

  it('never runs the calls of a stream that was cut before its end', async () => {
    const mock = await mockServer(talks)
    let cut = 0
    for (let keptEvents = 0; keptEvents < 40; keptEvents++) {
      const proxy = await proxyTo(mock.url, cutAfter(keptEvents))
      const { agent, asked } = agentOf(at(proxy.url))
      const result = await run(agent, true)
      expect(unpairedCalls(result.messages)).toEqual([])
      // From here on the first turn is whole: what is cut is at most the second.
      if (asked.length > 0) break
      expect(result.stopReason).toBe('model_error')
      cut++
    }
    expect(cut).toBeGreaterThanOrEqual(1)
    expect(cut).toBeLessThan(40)
  })

  it('stops a stream at an abort in its middle, with the connection closed', async () => {
    const mock = await mockServer(
      (mock) => {
        mock.on({}, { content: 'x'.repeat(4000) }, { latency: 5 })
      },
      { chunkSize: 4 },
    )
    let closedEarly = 0
    const proxy = await proxyTo(mock.url, (answer, outgoing) => {
      outgoing.on('close', () => {
        if (!outgoing.writableFinished) closedEarly++
      })
      passOn(answer, outgoing)
    })
    const { agent } = agentOf(at(proxy.url))
    const controller = new AbortController()
    const stream = agent.stream('Talk.', { signal: controller.signal })
    let deltas = 0
    for await (const update of stream) {
      if (update.kind === 'text-delta' && ++deltas === 3) controller.abort(new Error('enough'))
    }
    expect((await stream.result).stopReason).toBe('aborted')
    expect(deltas).toBe(3)
    await until(() => closedEarly === 1)
  })
})

// Other formats carry arguments as objects, and the mock mends them before they are sent.
describe.each(providers.filter(({ name }) => name.includes('openai')))('$name', ({ at }) => {
  it.each(modes)('answers malformed arguments with an error and goes on, $mode', async ({ streamed }) => {
    const mock = await mockServer((mock) => {
      const toolCalls = [
        { id: 'call_oslo', name: 'get_weather', arguments: '{"location":"Oslo"}' },
        { id: 'call_bad', name: 'get_weather', arguments: '{"location": Rome' },
      ]
      mock.on({ hasToolResult: false }, { toolCalls })
      mock.on({ hasToolResult: true }, { content: finalText })
    })
    const { agent, asked } = agentOf(at(mock.url))
    const result = await run(agent, streamed)
    expect(result).toMatchObject({ stopReason: 'answered', text: finalText })
    expect(asked).toEqual(['Oslo'])
    const sent = JSON.stringify(mock.getRequests()[1]?.body)
    expect(sent).toContain('INVALID_ARGUMENT')
    expect(sent).toContain('malformed_arguments')
  })
})
