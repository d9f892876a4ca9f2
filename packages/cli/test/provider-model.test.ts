import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { workFolder } from './work-folder.ts'

// Real provider packages over real HTTP to a mock of their wire formats on loopback.
const server = new LLMock({ port: 0 })
let address = ''

beforeAll(async () => {
  server.on({ userMessage: /weather/ }, { content: 'It is sunny.' })
  server.on({ userMessage: /again/ }, { content: 'Still sunny.' })
  await server.start()
  address = server.url
})

afterAll(() => server.stop())

const providers = [
  ['openai:gpt-5.1', { OPENAI_API_KEY: 'test' }, 'OPENAI_BASE_URL', '/v1'],
  ['anthropic:claude-opus-5', { ANTHROPIC_API_KEY: 'test' }, 'ANTHROPIC_BASE_URL', '/v1'],
  ['google:gemini-3-pro', { GOOGLE_GENERATIVE_AI_API_KEY: 'test' }, 'GOOGLE_GENERATIVE_AI_BASE_URL', '/v1beta'],
] as const

function parsed(ended: Ended): { readonly text: string; readonly stopReason: string; readonly sessionId: string } {
  expect(ended).toMatchObject({ code: 0 })
  return JSON.parse(ended.out) as ReturnType<typeof parsed>
}

describe('run --model', () => {
  it.each(providers)(
    '%s answers over its own wire format, and --session goes on with the conversation',
    async (model, keys, addressName, path) => {
      const folder = workFolder()
      const variables = { ...keys, [addressName]: `${address}${path}` }
      const run = (...words: readonly string[]): Promise<Ended> =>
        cliHere(folder.path, ['run', ...words, '--model', model, '--json'], { variables })
      const first = parsed(await run('How is the weather?'))
      expect(first).toMatchObject({ text: 'It is sunny.', stopReason: 'answered' })
      const second = parsed(await run('And again?', '--session', first.sessionId))
      expect(second).toMatchObject({ text: 'Still sunny.', sessionId: first.sessionId })
    },
  )

  it('openai-compatible takes an address', async () => {
    const model = `openai-compatible:${address}/v1:local-model`
    const ended = await cliHere(workFolder().path, ['run', 'How is the weather?', '--model', model, '--json'])
    expect(parsed(ended)).toMatchObject({ text: 'It is sunny.' })
  })

  it('a provider that cannot be reached ends with exit code 1 and says so', async () => {
    const model = 'openai-compatible:http://127.0.0.1:9/v1:local-model'
    const ended = await cliHere(workFolder().path, ['run', 'hello', '--model', model, '--json'])
    expect(ended.code).toBe(1)
    expect(JSON.parse(ended.out)).toMatchObject({ stopReason: 'model_error' })
    expect(ended.error).not.toMatch(/\n\s+at /)
  })
})
