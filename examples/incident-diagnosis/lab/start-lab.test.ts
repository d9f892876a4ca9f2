import { execFile } from 'node:child_process'
import { truncate } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { IncidentDataError, startLab } from './index.ts'
import { runningLab } from './testing/running-lab.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

describe('startLab', () => {
  it('serves an empty folder as sources that have nothing', async () => {
    const folder = await temporaryFolder()
    const lab = await runningLab(folder.path)
    const range = { start: '0', end: '60', step: '60' }
    expect((await lab.get('/api/v1/query_range', { ...range, query: 'up' })).json).toEqual({
      status: 'success',
      data: { resultType: 'matrix', result: [] },
    })
    expect((await lab.get('/api/v1/labels')).json).toEqual({ status: 'success', data: [] })
    expect((await lab.get('/loki/api/v1/query_range', { ...range, query: '{a="b"}' })).json).toMatchObject({
      status: 'success',
      data: { result: [] },
    })
  })

  it('refuses a folder that is not there', async () => {
    const folder = await temporaryFolder()
    const attempt = startLab({ dataDirectory: `${folder.path}/none` })
    await expect(attempt).rejects.toThrow(IncidentDataError)
    await expect(attempt).rejects.toMatchObject({ code: 'DATA_DIRECTORY_NOT_FOUND' })
  })

  it.each([
    ['metrics.om', 'm 1\n# EOF\n', 'METRICS_LINE_INVALID'],
    ['logs.jsonl', '{}\n', 'LOGS_LINE_INVALID'],
    ['logs.jsonl', '\0'.repeat(20_000_000), 'LOGS_LINE_INVALID'],
    [
      'logs.jsonl',
      `{"ts":"2030-01-01T00:00:00Z","line":"","labels":${'['.repeat(400_000)}${']'.repeat(400_000)}}\n`,
      'LOGS_LINE_INVALID',
    ],
    [
      'logs.jsonl',
      `${JSON.stringify({ ts: '2030-01-01T00:00:00Z', line: '', labels: Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`l${index}`, 'v'])) })}\n`,
      'LOGS_LINE_INVALID',
    ],
    ['metrics.om', '\0'.repeat(15_000_000), 'METRICS_LINE_INVALID'],
    ['metrics.om', `m{${'a="",'.repeat(300_000)}} 1 1\n# EOF\n`, 'METRICS_LINE_INVALID'],
    [
      'metrics.om',
      `m{${Array.from({ length: 300_000 }, (_, index) => `l${index}="v"`).join(',')}} 1 1\n# EOF\n`,
      'METRICS_LINE_INVALID',
    ],
  ])('with a bad line of %s fails only the API of that file, and names file and line', async (name, text, code) => {
    const folder = await temporaryFolder({ [name]: text })
    const lab = await runningLab(folder.path)
    const broken = ['/api/v1/query_range', '/loki/api/v1/query_range']
    const [own, other] = name === 'metrics.om' ? broken : broken.toReversed()
    const range = { start: '0', end: '60', step: '60', query: '{a="b"}' }
    const failure = await lab.get(own ?? '', range)
    expect(failure.status).toBe(500)
    expect(failure.text).toContain(`${code}: ${name}, line 1: expected `)
    expect(failure.text).not.toContain(folder.path)
    expect((await lab.get(other ?? '', range)).status).toBe(200)
  })

  it('fails only the API of a file that cannot be opened', async () => {
    const folder = await temporaryFolder({ 'metrics.om/inside': '' })
    const lab = await runningLab(folder.path)
    expect((await lab.get('/api/v1/labels')).text).toContain('METRICS_UNREADABLE: metrics.om: expected a readable file')
    expect((await lab.get('/loki/api/v1/labels')).status).toBe(200)
  })

  it('fails only the API of a file that is too large', async () => {
    const folder = await temporaryFolder({ 'metrics.om': '', 'logs.jsonl': '' })
    await truncate(`${folder.path}/metrics.om`, 16_000_001)
    const lab = await runningLab(folder.path)
    expect((await lab.get('/api/v1/labels')).text).toContain('of at most 16 MB, found 16000001 bytes')
    expect((await lab.get('/loki/api/v1/labels')).status).toBe(200)
    await truncate(`${folder.path}/logs.jsonl`, 5_000_000_000)
    const both = await runningLab(folder.path)
    expect((await both.get('/loki/api/v1/labels')).text).toContain('of at most 32 MB, found 5000000000 bytes')
  })

  it('can be closed twice and then answers no more', async () => {
    const folder = await temporaryFolder()
    const lab = await startLab({ dataDirectory: folder.path })
    await lab.close()
    await lab.close()
    await expect(fetch(`${lab.prometheusUrl}/api/v1/labels`)).rejects.toThrow('fetch failed')
  })

  it('does not keep the process alive', async () => {
    const folder = await temporaryFolder()
    const program = `
      const { startLab } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
      const lab = await startLab({ dataDirectory: ${JSON.stringify(folder.path)} })
      const answer = await fetch(lab.prometheusUrl + '/api/v1/labels')
      console.log(await answer.text())`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { cwd: fileURLToPath(new URL('.', import.meta.url)), timeout: 20_000 },
    )
    expect(stdout.trim()).toBe('{"status":"success","data":[]}')
  })
})
