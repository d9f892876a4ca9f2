import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ToolError } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { oddFiles } from '../files/testing/odd-files.ts'
import {
  dataFolder,
  formatTime,
  itemsOf,
  parseTime,
  readAlerts,
  readDeployments,
  readPods,
  readRunbooks,
  startLabOnce,
} from './index.ts'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sources-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  return directory
}

async function failureOf(promise: Promise<unknown>): Promise<ToolError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ToolError)) throw new Error(`expected a ToolError, found ${String(error)}`)
  return error
}

const alert = { id: 'a1', service: 's', metric: 'm', startedAt: '2030-05-01T10:00:00+02:00', severity: 'warning' }

describe('times', () => {
  it.each([
    ['2030-05-01T10:00:00Z', '2030-05-01T10:00:00Z'],
    ['2030-05-01T10:00:00+05:30', '2030-05-01T04:30:00Z'],
    ['2030-05-01 10:00:00.250-01:00', '2030-05-01T11:00:00.250Z'],
    ['2030-05-01T10:00Z', '2030-05-01T10:00:00Z'],
  ])('reads %s as %s', (text, utc) => {
    expect(formatTime(parseTime(text) ?? 0)).toBe(utc)
  })

  it.each(['2030-05-01T10:00:00', 'yesterday', '2030-13-01T10:00:00Z', '2030-02-30T10:00:00Z', '', '1777777777'])(
    'refuses %j',
    (text) => {
      expect(parseTime(text)).toBeNull()
    },
  )
})

describe('reading a data folder', () => {
  it('gives times in UTC and drops unknown fields', async () => {
    const directory = await folderWith({ 'alerts.json': JSON.stringify([{ ...alert, more: { x: 1 } }]) })
    expect(itemsOf(await readAlerts(directory))).toEqual([{ ...alert, startedAt: '2030-05-01T08:00:00Z' }])
  })

  it('takes a deployment without a kind for code', async () => {
    const deployment = { id: 'd', service: 's', version: '1', finishedAt: '2030-05-01T10:00:00Z', changes: [] }
    const directory = await folderWith({ 'deployments.json': JSON.stringify([deployment]) })
    expect(itemsOf(await readDeployments(directory))[0]?.kind).toBe('code')
  })

  it('reads a file with a byte order mark', async () => {
    const directory = await folderWith({ 'pods.json': '\uFEFF[]' })
    expect(await readPods(directory)).toEqual({ kind: 'present', items: [] })
  })

  it('gives runbooks by name with the first heading as title', async () => {
    const directory = await folderWith({
      'runbooks/b.md': 'text\n## Second thing ##\n# Later',
      'runbooks/a.md': 'no heading',
      'runbooks/c.txt': '# Not one',
    })
    expect(itemsOf(await readRunbooks(directory)).map(({ title }) => title)).toEqual(['a.md', 'Second thing'])
  })

  it.each([readAlerts, readDeployments, readPods, readRunbooks])('calls a missing file missing (%o)', async (read) => {
    expect(await read(await folderWith({}))).toEqual({ kind: 'missing' })
  })

  it.each([
    ['{', /^alerts\.json cannot be read: expected valid JSON, found/],
    ['{}', /^alerts\.json cannot be read: expected a JSON list, found \{\}/],
    [
      JSON.stringify([alert, { ...alert, id: 7 }]),
      /^alerts\.json, entry 2, id cannot be read: expected a value of type string, found 7/,
    ],
    [
      JSON.stringify([{ ...alert, startedAt: 'noon' }]),
      /entry 1, startedAt cannot be read: expected a time in RFC 3339 form with a zone, found "noon"/,
    ],
    [
      JSON.stringify([{ ...alert, severity: undefined }]),
      /severity cannot be read: expected a value of type string, found nothing/,
    ],
    [
      JSON.stringify([{ ...alert, id: 'a\nNext actions:' }]),
      /entry 1, id cannot be read: expected text on one line, without control or invisible characters, found "a\\nNext/,
    ],
    [
      `[${'['.repeat(400_000)}${']'.repeat(400_000)}]`,
      /entry 1 cannot be read: expected a value of type object, found a/,
    ],
    ['\0'.repeat(7_000_000), /^alerts\.json cannot be read: expected valid JSON, found "\\u0000/],
    [' '.repeat(8_000_001), /^alerts\.json cannot be read: expected a readable file of at most 8 MB, found 8000001/],
    ['[null]', /entry 1 cannot be read: expected a value of type object, found null/],
  ])('names what is wrong in %.80s', async (text, words) => {
    const directory = await folderWith({ 'alerts.json': text })
    const failure = await failureOf(readAlerts(directory))
    expect(failure.code).toBe('BAD_DATA')
    expect(failure.message).toMatch(words)
    expect(failure.message).not.toContain(directory)
  })
})

describe.skipIf(process.platform === 'win32')('what is no regular file', () => {
  it.each(oddFiles)('is refused at once: %s', async (found, put) => {
    const directory = await folderWith({ 'runbooks/fine.md': '# Fine' })
    for (const name of ['alerts.json', 'pods.json', 'runbooks/odd.md', 'metrics.om', 'logs.jsonl']) {
      put(join(directory, name))
    }
    for (const read of [readAlerts, readPods, readRunbooks]) {
      const failure = await failureOf(read(directory))
      expect([failure.code, failure.message.split('\n')[0]]).toEqual([
        'BAD_DATA',
        expect.stringMatching(
          new RegExp(`cannot be read: expected a readable file of at most 8 MB, found ${found}\\.$`),
        ),
      ])
    }
    const lab = await startLabOnce(directory)()
    const answers = await Promise.all(
      ['/api/v1/labels', '/loki/api/v1/labels'].map(async (path) => (await fetch(`${lab.lokiUrl}${path}`)).text()),
    )
    await lab.close()
    expect(answers).toEqual([
      expect.stringContaining(
        `METRICS_UNREADABLE: metrics.om: expected a readable file of at most 16 MB, found ${found}`,
      ),
      expect.stringContaining(`LOGS_UNREADABLE: logs.jsonl: expected a readable file of at most 32 MB, found ${found}`),
    ])
  })
})

describe('the lab of a folder', () => {
  it('starts once for all who ask', async () => {
    const lab = startLabOnce(await folderWith({}))
    const [first, second] = await Promise.all([lab(), lab()])
    expect(first).toBe(second)
    await first.close()
  })

  it('says without a path that the folder is missing, and tries again', async () => {
    const directory = join(await folderWith({}), 'later')
    const lab = startLabOnce(directory)
    const failure = await failureOf(lab())
    expect([failure.code, failure.message.includes('DATA_DIRECTORY_NOT_FOUND')]).toEqual(['BAD_DATA', true])
    expect(failure.message).not.toContain(directory)
    await mkdir(directory)
    await (await lab()).close()
  })
})

describe('the data folder', () => {
  it('is the one asked for, else the one the package names', async () => {
    const example = await folderWith({ 'package.json': JSON.stringify({ config: { data: 'data/x' } }), 'data/x/a': '' })
    expect(dataFolder(example, undefined)).toBe(join(example, 'data/x'))
    expect(dataFolder(example, example)).toBe(example)
  })

  it('is refused with a clear sentence when it does not exist', () => {
    expect(() => dataFolder('/', '/no/such/folder')).toThrow('The data folder must be a directory')
  })
})
