import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { cliHere, type Ended } from './cli-here.ts'
import { cliProcess } from './cli-process.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { untilExists } from './until-exists.ts'
import { workFolder } from './work-folder.ts'

/** What the store's own library can do that these tests need; a second program would do the same. */
type Database = { exec(sql: string): void; close(): void }

function openDatabase(file: string): Database {
  const fromStore = createRequire(import.meta.resolve('@fairlead/store'))
  const Library = fromStore('libsql') as new (file: string) => Database
  return new Library(file)
}

const seen: Ended[] = []

afterEach(() => {
  expect(seen.length).toBeGreaterThan(0)
  for (const { out, error } of seen.splice(0)) expect(`${out}${error}`).not.toMatch(/\n\s+at .*:\d+|node:internal/)
})

async function typed(...from: Parameters<typeof cliHere>): Promise<Ended> {
  const ended = await cliHere(...from)
  seen.push(ended)
  return ended
}

const oneLine = /^fairlead: [^\n]+\n$/
const example = ['--example', 'incident-diagnosis']

describe('the ten likeliest mistakes are told in a line, without a stack', () => {
  it('1. the wrong folder', async () => {
    const here = temporaryFolder()
    const ended = await typed(here, ['run', 'checkout hangs', '--offline'])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain(`No fairlead.config.ts, .mts, .js or .json in ${here}. Make one with fairlead init`)
  })

  it('2. a bad JSON line in the data', async () => {
    const here = temporaryFolder()
    await cliHere(here, ['init', '--template', 'incident'])
    const logs = join(here, 'data', 'logs.jsonl')
    const lines = readFileSync(logs, 'utf8').split('\n')
    writeFileSync(logs, lines.with(6, '{"at": "2031-03-03').join('\n'))
    const ended = await typed(here, ['tools', 'call', 'search_error_logs', '--args', '{"service": "checkout"}'])
    expect(ended).toMatchObject({ code: 1, error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('BAD_DATA: logs.jsonl, line 7 is not JSON.')
  })

  it('2. a bad JSON line in the data of the worked case', async () => {
    const here = temporaryFolder()
    writeFileSync(join(here, 'logs.jsonl'), 'not json\n')
    const times = { start_time: '2031-01-31T08:00:00Z', end_time: '2031-01-31T09:00:00Z' }
    const args = JSON.stringify({ logql: '{service="a"}', ...times, limit: 5 })
    const ended = await typed(here, ['tools', 'call', 'loki_search', '--args', args, ...example, '--data', here])
    expect(ended).toMatchObject({ code: 1, error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('logs.jsonl, line 1: expected')
  })

  it('3. an unknown service', async () => {
    const args = ['tools', 'call', 'get_alert_details', '--args', '{"service": "odrer-service"}', ...example]
    const ended = await typed(temporaryFolder(), args)
    expect(ended).toMatchObject({ code: 1, error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('UNKNOWN_SERVICE: There is no service "odrer-service". Known services: ')
  })

  it('4. a store another program holds', async () => {
    const folder = workFolder()
    await cliHere(folder.path, ['run', 'the lift', '--offline'])
    const other = openDatabase(folder.store)
    onTestFinished(() => other.close())
    other.exec('begin immediate')
    const ended = await typed(folder.path, ['run', 'the lift', '--offline'], {
      variables: { FAIRLEAD_LOCK_TIMEOUT_MS: '50' },
    })
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain(`Another process kept ${folder.store} locked for 50 ms`)
    const wrong = await typed(folder.path, ['trace', 'list'], { variables: { FAIRLEAD_LOCK_TIMEOUT_MS: 'soon' } })
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('whole milliseconds') })
  })

  it('5. a store of a newer version', async () => {
    const folder = workFolder()
    await cliHere(folder.path, ['run', 'the lift', '--offline'])
    const newer = openDatabase(folder.store)
    newer.exec('insert into schema_versions (version, applied_at) values (99, 0)')
    newer.close()
    const ended = await typed(folder.path, ['trace', 'list'])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('has schema version 99; this program knows versions up to')
    expect(ended.error).toContain('Upgrade this program, or use another file.')
  })

  it.each([
    ['a store', ['run', 'the lift', '--offline', '--store', 'file/store.db']],
    ['a project', ['init', 'file/project']],
  ])('6. no place where %s may be written', async (_name, words) => {
    const { path } = workFolder()
    writeFileSync(join(path, 'file'), '')
    const ended = await typed(path, words)
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain(join(path, 'file'))
  })

  it.skipIf(!existsSync('/proc/self'))('6. no permission even for root', async () => {
    const { path } = workFolder()
    const ended = await typed(path, ['run', 'the lift', '--offline', '--store', '/proc/fairlead/store.db'])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('/proc/fairlead')
  })

  it('7. a port that is taken', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    vi.stubEnv('FAIRLEAD_LAB_PORT', String(port))
    onTestFinished(() => void vi.unstubAllEnvs())
    const ended = await typed(temporaryFolder(), ['run', 'Why did order-service get slow?', ...example])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain(`Port ${port} of 127.0.0.1 is taken by another program.`)
  })

  it('7. a port that is none', async () => {
    vi.stubEnv('FAIRLEAD_LAB_PORT', 'https')
    onTestFinished(() => void vi.unstubAllEnvs())
    const ended = await typed(temporaryFolder(), ['run', 'Why did order-service get slow?', ...example])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('FAIRLEAD_LAB_PORT must be a port from 1 to 65535; found "https".')
  })

  it('7. a port where nobody listens', async () => {
    const model = 'openai-compatible:http://127.0.0.1:9/v1:local-model'
    const ended = await typed(workFolder().path, ['run', 'hello', '--model', model])
    expect(ended.code).toBe(1)
    expect(ended.error).toMatch(oneLine)
    expect(ended.error).toContain('The run stopped with model_error: ')
  })

  it('7. a Prometheus that does not run', async () => {
    vi.stubEnv('PROMETHEUS_URL', 'http://127.0.0.1:9')
    onTestFinished(() => void vi.unstubAllEnvs())
    const ended = await typed(temporaryFolder(), ['run', 'Why did order-service get slow?', ...example])
    expect(ended).toMatchObject({ code: 0, error: '' })
    expect(ended.out).toMatch(/prometheus_query_range .*UNAVAILABLE .*Prometheus cannot be reached now/)
  })

  it('7. an address of Prometheus that is none', async () => {
    vi.stubEnv('PROMETHEUS_URL', 'nope')
    onTestFinished(() => void vi.unstubAllEnvs())
    const ended = await typed(temporaryFolder(), ['run', 'Why did order-service get slow?', ...example])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain('PROMETHEUS_URL must be an http or https URL')
  })

  it.each([
    ['openai:gpt-5.1', 'OPENAI_API_KEY'],
    ['anthropic:claude-opus-5', 'ANTHROPIC_API_KEY'],
    ['google:gemini-3-pro', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ])('8. a missing key: %s', async (model, variable) => {
    const ended = await typed(workFolder().path, ['run', 'hello', '--model', model])
    expect(ended).toMatchObject({ code: 2, out: '', error: expect.stringMatching(oneLine) })
    expect(ended.error).toContain(`--model ${model} needs a key. Set ${variable} in the environment.`)
  })

  it('9. a model the provider does not have', async () => {
    const message = 'The model `gpt-nope` does not exist or you do not have access to it.'
    const server = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'model_not_found' } }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const variables = { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const ended = await typed(workFolder().path, ['run', 'hello', '--model', 'openai:gpt-nope'], { variables })
    expect(ended.code).toBe(1)
    expect(ended.error).toMatch(oneLine)
    expect(ended.error).toContain(message)
  })

  it('10. Ctrl-C in the middle of a run', async () => {
    const folder = workFolder()
    const { child, ended } = cliProcess(folder.path, ['run', 'wait for it', '--offline'])
    await Promise.race([untilExists(join(folder.path, '.fairlead', 'waiting.txt')), ended])
    child.kill('SIGINT')
    const { code, error } = await ended
    seen.push(await ended)
    expect(code).toBe(1)
    expect(error).toBe(
      'Stopping the run. Press Ctrl-C again to leave at once.\nfairlead: The run was stopped before it finished.\n',
    )
  })
})
