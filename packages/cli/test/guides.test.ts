import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LLMock } from '@copilotkit/aimock'
import { Agent } from 'fairlead'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { orders, tryTools } from '../../../docs/guides/snippets/define-a-tool.ts'
import ownPrometheus, { queryPrometheus } from '../../../docs/guides/snippets/own-prometheus.ts'
import { ask } from '../../../docs/guides/snippets/ask-warehouse.ts'
import { recordedAgent } from '../../../docs/guides/snippets/recorded-agent.ts'
// Begins when it is loaded, so it is loaded only as a process; this has it compiled.
import type {} from '../../../docs/guides/snippets/restock.ts'
import { warehouseAgent } from '../../../docs/guides/snippets/warehouse-agent.ts'
import warehouseConfig from '../../../docs/guides/snippets/warehouse-config.ts'
import { cliHere } from './cli-here.ts'
import { temporaryFolder } from './temporary-folder.ts'

const guides = fileURLToPath(new URL('../../../docs/guides/', import.meta.url))
const template = fileURLToPath(new URL('../src/templates/minimal/fairlead.config.ts', import.meta.url))
const pages = readdirSync(guides).filter((name) => name.endsWith('.md'))

function read(name: string): string {
  return readFileSync(join(guides, name), 'utf8')
}

const regions = readdirSync(join(guides, 'snippets')).flatMap((name) =>
  [...read(join('snippets', name)).matchAll(/^\/\/ #region \S+\n([\s\S]*?)\n\/\/ #endregion$/gm)].map(
    ([, text]) => text,
  ),
)

describe('the guides', () => {
  it('are all there, and so are the snippets', () => {
    expect(pages.toSorted()).toEqual([
      'agents-as-tools.md',
      'approve-a-call.md',
      'approve-from-another-process.md',
      'coming-from-microsoft-agent-framework.md',
      'coming-from-the-ai-sdk.md',
      'define-a-tool.md',
      'diagnose-with-your-own-prometheus.md',
      'quick-start.md',
      'suspend-and-resume.md',
      'tools-that-appear-while-you-work.md',
      'use-a-real-model.md',
      'what-happens-when-the-process-dies.md',
      'write-a-policy.md',
      'write-middleware.md',
    ])
    expect(regions).toHaveLength(26)
  })

  it.each(pages)('%s shows only code that is compiled and run here', (name) => {
    const blocks = [...read(name).matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, text]) => text ?? '')
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      const isExcerpt = readFileSync(template, 'utf8').includes(`\n${block}\n`)
      if (!isExcerpt) expect(regions).toContain(block)
    }
  })

  it('show every region', () => {
    const text = pages.map(read).join('\n')
    for (const region of regions) expect(text).toContain(`\n${region}\n`)
  })
})

it('quick start: what is shown is what is printed', async () => {
  const here = temporaryFolder()
  await cliHere(here, ['init'])
  const run = await cliHere(here, ['run', 'checkout hangs, please help', '--offline'])
  const id = /approval_\w+/.exec(run.out)?.[0] ?? 'none'
  const decided = await cliHere(here, ['approvals', 'approve', id, '--by', 'you'])
  const printed = `${run.out}${decided.out}`.replaceAll(/ \d+ ms/g, ' 0 ms')
  const shown = [...read('quick-start.md').matchAll(/^```text\n([\s\S]*?)\n```$/gm)].flatMap(([, text = '']) =>
    text.split('\n'),
  )
  expect(shown.length).toBeGreaterThan(5)
  for (const line of shown) expect(printed).toContain(line)
  expect((await cliHere(here, ['approvals', 'approve', id, '--by', 'you'])).error).toContain(
    'is settled already: approved by you',
  )
})

it('define a tool: the tools run, the order after approval', async () => {
  expect(await tryTools()).toBe('Coffee is ordered.')
  expect(orders).toHaveLength(1)
})

it('use a real model: the agent answers over the wire format, and from its recording without a server', async () => {
  const server = new LLMock({ port: 0 })
  server.on({ userMessage: /coffee/ }, { content: 'There are 12.' })
  await server.start()
  const agent = warehouseAgent({ apiKey: 'test', baseURL: `${server.url}/v1` })
  const file = join(temporaryFolder(), 'turns.jsonl')
  const first = await recordedAgent(agent, file).run('Is there enough coffee?')
  await server.stop()
  const second = await recordedAgent(agent, file).run('Is there enough coffee?')
  expect([first.text, second.text]).toEqual(['There are 12.', 'There are 12.'])
})

it('use a real model: the program and the configuration ask it too', async () => {
  const server = new LLMock({ port: 0 })
  server.on({ userMessage: /coffee/ }, { content: 'There are 12.' })
  await server.start()
  onTestFinished(() => server.stop())
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('OPENAI_API_KEY', 'test')
  vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`)
  expect(await ask('Is there enough coffee?')).toBe('There are 12.')
  const { agent } = warehouseConfig
  const options = { principal: { id: 'ann' }, environment: 'dev', storeFile: '/s' }
  const made = typeof agent === 'function' ? await agent(options) : agent
  expect(made.tools().map(({ name }) => name)).toEqual(['count_stock'])
})

it('approve from another process: asked in one, decided in the next, told in the third', () => {
  const here = temporaryFolder()
  const snippet = fileURLToPath(new URL('snippets/restock.ts', pathToFileURL(guides)))
  const restock = (...words: readonly string[]): string => {
    const flags = ['--conditions=@fairlead/source', '--import', import.meta.resolve('tsx')]
    const ended = spawnSync(process.execPath, [...flags, snippet, ...words], { cwd: here, encoding: 'utf8' })
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    return ended.stdout
  }
  const asked = restock('ask')
  expect(asked).toMatch(/^approval_required\napproval_\w+ order_article \{ article: 'coffee', count: 5 \}\n$/)
  expect(existsSync(join(here, 'orders.txt'))).toBe(false)
  const id = /approval_\w+(?= order)/.exec(asked)?.[0] ?? 'none'
  expect(restock('approve', id, 'ann')).toBe('answered Coffee is ordered.\n')
  expect(restock('approve', id, 'bob')).toBe('approved by ann\n')
  expect(readFileSync(join(here, 'orders.txt'), 'utf8')).toMatch(/^5 coffee \S+\n$/)
  expect(restock('approve', 'nope')).toBe('There is no such request.\n')
}, 120_000)

describe('your own Prometheus', () => {
  const args = { query: 'up', start: '2031-01-31T08:00:00Z', end: '2031-01-31T09:00:00Z', step_seconds: 60 }

  it('is asked over HTTP', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      const result = [{ metric: { job: 'a' }, values: [[1_927_612_800, '1']] }]
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const agent = new Agent({ tools: [queryPrometheus(`http://127.0.0.1:${port}`)] })
    const result = await agent.call('query_prometheus', args).result
    expect(result.stopReason).toBe('answered')
    expect(asked).toEqual([expect.stringContaining('/api/v1/query_range?query=up&start=2031-01-31T08')])
  })

  it('is UNAVAILABLE where nobody listens', async () => {
    const agent = new Agent({ tools: [queryPrometheus('http://127.0.0.1:9')] })
    const { messages } = await agent.call('query_prometheus', args).result
    expect(JSON.stringify(messages)).toContain('UNAVAILABLE')
  })

  it('has a configuration with the tool', async () => {
    const { agent } = ownPrometheus
    expect(typeof agent).toBe('function')
    const options = { principal: { id: 'ann' }, environment: 'dev', storeFile: '/s' }
    const made = typeof agent === 'function' ? await agent(options) : agent
    expect(made.tools().map(({ name }) => name)).toEqual(['query_prometheus'])
  })
})
