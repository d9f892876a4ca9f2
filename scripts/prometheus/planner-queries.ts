import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { repositoryRoot } from '../repository-root.ts'
import type { RangeQuery } from './range-query.ts'

const fewestQueries = 8

/**
 * Every metric query of a diagnosis by the offline planner: the command runs with `PROMETHEUS_URL` set to a recorder, which passes
 * what it is asked on to a real server. Throws when it saw fewer than eight.
 */
export async function plannerQueries(options: {
  readonly dataDirectory: string
  readonly prometheusUrl: string
}): Promise<readonly RangeQuery[]> {
  const queries: RangeQuery[] = []
  const recorder = createServer((request, response) => {
    const url = new URL(`${options.prometheusUrl}${request.url ?? '/'}`)
    if (url.pathname === '/api/v1/query_range') queries.push(readQuery(url.searchParams))
    fetch(url)
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((resolve, reject) => {
    recorder.once('error', reject)
    recorder.listen(0, '127.0.0.1', resolve)
  })
  const address = recorder.address()
  if (address === null || typeof address === 'string') throw new Error('expected a port, found none')
  const folder = mkdtempSync(join(tmpdir(), 'planner-queries-'))
  try {
    const said = await diagnose({
      dataDirectory: options.dataDirectory,
      folder,
      prometheusUrl: `http://127.0.0.1:${address.port}/`,
    })
    if (queries.length >= fewestQueries) return queries
    throw new Error(`The planner asked ${queries.length} metric queries, expected at least ${fewestQueries}.\n${said}`)
  } finally {
    recorder.closeAllConnections()
    recorder.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Gives what the command wrote to standard error; how it ended does not matter, since most diagnoses wait for an approval. */
async function diagnose(options: {
  readonly dataDirectory: string
  readonly folder: string
  readonly prometheusUrl: string
}): Promise<string> {
  const words = [
    'run',
    `Diagnose the incident of service ${serviceOf(options.dataDirectory)}: what is the likely cause?`,
    '--example',
    'incident-diagnosis',
  ]
  const child = spawn(
    process.execPath,
    [
      '--conditions=@fairlead/source',
      '--import',
      'tsx',
      join(repositoryRoot, 'packages/cli/src/bin.ts'),
      ...words,
      '--data',
      options.dataDirectory,
      '--store',
      join(options.folder, 'fairlead.db'),
      '--json',
    ],
    {
      cwd: repositoryRoot,
      env: { ...process.env, PROMETHEUS_URL: options.prometheusUrl },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text))
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  return said.join('')
}

function serviceOf(dataDirectory: string): string {
  const alerts = z
    .array(z.object({ service: z.string() }))
    .parse(JSON.parse(readFileSync(join(dataDirectory, 'alerts.json'), 'utf8')))
  const [first] = alerts
  if (first === undefined) throw new Error('The folder has no alert to diagnose.')
  return first.service
}

function readQuery(parameters: URLSearchParams): RangeQuery {
  const number = (name: string): number => Number(parameters.get(name))
  return { promql: parameters.get('query') ?? '', start: number('start'), end: number('end'), step: number('step') }
}
