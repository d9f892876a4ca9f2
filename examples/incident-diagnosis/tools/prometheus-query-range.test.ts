import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { ToolError, type Json } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { runTool, testContext } from '../planner/testing/test-driver.ts'
import type { IncidentServices } from './incident-services.ts'
import { lokiSearch } from './loki-search.ts'
import { prometheusQueryRange } from './prometheus-query-range.ts'
import { requestTarget } from './request-target.ts'

const range = { start_time: '2030-05-01T10:00:00Z', end_time: '2030-05-01T12:00:00+01:00', step_seconds: 60 }
const metricQuery = { promql: 'up', ...range }
const logQuery = { logql: '{a="b"}', start_time: range.start_time, end_time: range.end_time, limit: 2 }

async function against<TResult>(
  listener: RequestListener,
  use: (services: IncidentServices) => Promise<TResult>,
): Promise<TResult> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await use({ dataDirectory: '', ticketsFile: '', prometheusUrl: url, lokiUrl: url, requestTimeoutMs: 5000 })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const streamOf = (values: readonly (readonly [string, string])[]) => ({
  status: 'success',
  data: { resultType: 'streams', result: [{ stream: { a: 'b' }, values }] },
})

const answering = (status: number, body: unknown): RequestListener => {
  return (_request, response) => {
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

async function failureOf(promise: Promise<unknown>): Promise<{ code: string; retryable: boolean; message: string }> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ToolError)) throw new Error(`expected a ToolError, found ${String(error)}`)
  return { code: error.code, retryable: error.retryable, message: error.message }
}

describe('prometheus_query_range', () => {
  it('asks for the range in seconds and gives numbers, null for what is none', async () => {
    const asked: string[] = []
    const body = {
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { pod: 'p' },
            values: [
              [1, '0.5'],
              [61, 'NaN'],
              [121, '+Inf'],
            ],
          },
        ],
      },
    }
    const answer = await against(
      (request, response) => {
        asked.push(request.url ?? '')
        answering(200, body)(request, response)
      },
      (services) => runTool(prometheusQueryRange(services), metricQuery),
    )
    const parameters = new URL(asked[0] ?? '', 'http://x').searchParams
    expect(Object.fromEntries(parameters)).toEqual({ query: 'up', start: '1903860000', end: '1903863600', step: '60' })
    expect(answer).toMatchObject({
      status: 'success',
      summary: '1 series, 3 points, values from 0.5 to 0.5.',
      data: {
        seriesCount: 1,
        pointCount: 3,
        series: [
          {
            labels: { pod: 'p' },
            points: [
              [1, 0.5],
              [61, null],
              [121, null],
            ],
          },
        ],
      },
    })
  })

  it.each([
    [
      422,
      { status: 'error', errorType: 'unsupported', error: 'PROMQL_UNSUPPORTED: topk is not supported' },
      'PROMQL_UNSUPPORTED',
      'topk is not supported',
    ],
    [
      400,
      { status: 'error', errorType: 'bad_data', error: 'PROMQL_SYNTAX_ERROR: at 3' },
      'PROMQL_SYNTAX_ERROR',
      'at 3',
    ],
    [400, { status: 'error', errorType: 'bad_data', error: 'too many points' }, 'INVALID_ARGUMENT', 'too many points'],
    [503, 'busy', 'UNAVAILABLE', 'HTTP status 503'],
    [
      500,
      {
        status: 'error',
        errorType: 'internal',
        error: 'METRICS_LINE_INVALID: metrics.om, line 3: expected x, found y',
      },
      'BAD_DATA',
      'METRICS_LINE_INVALID: metrics.om, line 3: expected x, found y.',
    ],
    [200, { status: 'success', data: { resultType: 'vector', result: [] } }, 'UNAVAILABLE', 'not its own'],
    [200, '<html>Sign in</html>', 'UNAVAILABLE', 'no Prometheus API'],
    [404, '404 page not found', 'UNAVAILABLE', 'no Prometheus API'],
    [502, '<!DOCTYPE html><h1>Bad gateway</h1>', 'UNAVAILABLE', 'HTTP status 502'],
    [401, 'who are you', 'PERMISSION_DENIED', 'HTTP status 401'],
    [403, '<html>no</html>', 'PERMISSION_DENIED', 'HTTP status 403'],
    [
      400,
      { status: 'error', errorType: 'bad_data', error: 'invalid parameter "query": 1:5: parse error: unexpected ")"' },
      'PROMQL_SYNTAX_ERROR',
      'unexpected ")"',
    ],
    [
      422,
      { status: 'error', errorType: 'execution', error: 'query processing would load too many samples into memory' },
      'RESULT_TOO_LARGE',
      'coarser step',
    ],
    [
      400,
      { status: 'error', errorType: 'bad_data', error: 'exceeded maximum resolution of 11,000 points per timeseries' },
      'RESULT_TOO_LARGE',
      'coarser step',
    ],
    [
      503,
      { status: 'error', errorType: 'timeout', error: 'query timed out in expression evaluation' },
      'TIMEOUT',
      'shorter range',
    ],
    [429, 'slow down', 'UNAVAILABLE', 'HTTP status 429'],
  ])('turns HTTP %i %j into %s', async (status, body, code, words) => {
    const failure = await against(answering(status, body), (services) =>
      failureOf(runTool(prometheusQueryRange(services), metricQuery)),
    )
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(words)
  })

  it.each([
    ['', '/api/v1/query_range', undefined],
    ['/', '/api/v1/query_range', undefined],
    ['/a/b//', '/a/b/api/v1/query_range', undefined],
    ['/p', '/p/api/v1/query_range', 'an%20n:hunt%C3%A9r2%'],
  ])('asks a server at %j under %s with the credentials %j', async (suffix, path, credentials) => {
    const seen: (string | undefined)[] = []
    const failure = await against(
      (request, response) => {
        seen.push(request.url?.split('?')[0], request.headers.authorization)
        answering(403, '')(request, response)
      },
      async (services) => {
        const base = await services.prometheusUrl()
        const url = `${credentials === undefined ? base : base.replace('//', `//${credentials}@`)}${suffix}`
        return failureOf(runTool(prometheusQueryRange({ ...services, prometheusUrl: fixed(url) }), metricQuery))
      },
    )
    const expected =
      credentials === undefined ? undefined : `Basic ${Buffer.from('an%20n:hunt%C3%A9r2%').toString('base64')}`
    expect(seen).toEqual([path, expected])
    expect(failure.message).not.toMatch(/hunt|Basic/)
  })

  it('decodes the credentials of a URL and shows them nowhere, also when nobody listens', async () => {
    const { url, headers } = requestTarget('http://an%20n:hunt%C3%A9r2@127.0.0.1:9/p', '/x', { a: '1 2' })
    expect([url.href, headers['authorization']]).toEqual([
      'http://127.0.0.1:9/p/x?a=1+2',
      `Basic ${Buffer.from('an n:huntér2').toString('base64')}`,
    ])
    const services = { prometheusUrl: fixed('http://an:hunter2@127.0.0.1:9') } as unknown as IncidentServices
    const error: unknown = await runTool(prometheusQueryRange(services), metricQuery).catch((reason: unknown) => reason)
    expect(inspect(error, { depth: 10 })).toContain('cannot be reached')
    expect(inspect(error, { depth: 10 })).not.toContain('hunter2')
  })

  it('gives up on a body of more than 5 MB', async () => {
    const failure = await against(
      (_request, response) => {
        const chunk = 'x'.repeat(1_000_000)
        const write = (left: number): void => {
          if (left === 0 || response.destroyed) return void response.end()
          response.write(chunk, () => write(left - 1))
        }
        write(6)
      },
      (services) => failureOf(runTool(prometheusQueryRange(services), metricQuery)),
    )
    expect(failure.code).toBe('RESULT_TOO_LARGE')
  })

  it('is retryably unavailable when nobody listens', async () => {
    const services = await against(answering(200, ''), async (each) => ({
      ...each,
      prometheusUrl: fixed(await each.prometheusUrl()),
    }))
    expect(await failureOf(runTool(prometheusQueryRange(services), metricQuery))).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
    })
  })

  it('times out retryably when no answer comes', async () => {
    const failure = await against(
      () => undefined,
      (services) => failureOf(runTool(prometheusQueryRange({ ...services, requestTimeoutMs: 20 }), metricQuery)),
    )
    expect(failure).toMatchObject({ code: 'TIMEOUT', retryable: true })
  })

  it('rejects with the reason of an abort', async () => {
    const reason = new Error('run aborted')
    await against(
      () => undefined,
      async (services) => {
        const context = testContext({ signal: AbortSignal.abort(reason) })
        await expect(runTool(prometheusQueryRange(services), metricQuery, context)).rejects.toBe(reason)
      },
    )
  })

  it('refuses a result of more than 200 000 characters', async () => {
    const values = Array.from({ length: 11_000 }, (_, index) => [1_900_000_000 + index, '0.12345678901'])
    const body = { status: 'success', data: { resultType: 'matrix', result: [{ metric: {}, values }] } }
    const failure = await against(answering(200, body), (services) =>
      failureOf(runTool(prometheusQueryRange(services), metricQuery)),
    )
    expect(failure.code).toBe('RESULT_TOO_LARGE')
  })

  it.each([
    { ...metricQuery, start_time: 'noon' },
    { ...metricQuery, step_seconds: 0 },
    { ...metricQuery, step_seconds: 1.5 },
    { ...metricQuery, extra: true },
    { ...metricQuery, end_time: metricQuery.start_time },
  ] as const)('refuses the arguments %j', async (args) => {
    const failure = await against(answering(500, ''), (services) =>
      failureOf(runTool(prometheusQueryRange(services), args)),
    )
    expect(failure.code).toBe('INVALID_ARGUMENT')
  })

  it('describes every argument to the model', () => {
    const { inputSchema } = prometheusQueryRange({} as IncidentServices).contract
    const properties = Object.entries(
      inputSchema['properties'] as Readonly<Record<string, Json & { description?: string }>>,
    )
    expect(properties).toHaveLength(4)
    expect(properties.every(([, each]) => typeof each?.description === 'string')).toBe(true)
    expect(inputSchema['additionalProperties']).toBe(false)
  })
})

function fixed(url: string): () => Promise<string> {
  return async () => url
}

describe('loki_search', () => {
  const line = (seconds: number, text: string) => [`${seconds}000000000`, text]

  it('counts lines by what they say, in time order over all streams', async () => {
    const body = {
      status: 'success',
      data: {
        resultType: 'streams',
        result: [
          {
            stream: { pod: 'a' },
            values: [line(1_903_860_070, 'timeout after 30 ms order=o-1'), line(1_903_860_010, 'ready')],
          },
          { stream: { pod: 'b' }, values: [line(1_903_860_005, 'timeout after 31 ms order=o-2')] },
        ],
      },
    }
    const answer = await against(answering(200, body), (services) => runTool(lokiSearch(services), logQuery))
    expect(answer).toMatchObject({
      data: {
        matched: 3,
        truncated: false,
        binSeconds: 60,
        patterns: [
          {
            pattern: 'timeout after # ms order=#',
            count: 2,
            firstSeen: '2030-05-01T10:00:05Z',
            lastSeen: '2030-05-01T10:01:10Z',
            counts: [
              [1_903_860_000, 1],
              [1_903_860_060, 1],
            ],
          },
          { pattern: 'ready', count: 1 },
        ],
        entries: [{ labels: { pod: 'b' } }, { labels: { pod: 'a' }, line: 'ready' }],
      },
    })
  })

  it.each([
    [400, 'LOGQL_UNSUPPORTED: | json is not supported', 'LOGQL_UNSUPPORTED'],
    [400, JSON.stringify({ message: 'LOGQL_SYNTAX_ERROR: at 1' }), 'LOGQL_SYNTAX_ERROR'],
    [400, 'parse error at line 1, col 5: syntax error: unexpected IDENTIFIER', 'LOGQL_SYNTAX_ERROR'],
    [400, 'the query would read too many bytes (query: 1TB, limit: 1GB)', 'RESULT_TOO_LARGE'],
    [504, 'query timed out', 'TIMEOUT'],
    [404, 'not found', 'UNAVAILABLE'],
    [200, JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } }), 'INVALID_ARGUMENT'],
    [500, 'LOGS_LINE_INVALID: logs.jsonl, line 2: expected x, found y', 'BAD_DATA'],
  ])('turns HTTP %i %s into %s', async (status, body, code) => {
    const failure = await against(answering(status, body), (services) =>
      failureOf(runTool(lokiSearch(services), logQuery)),
    )
    expect(failure.code).toBe(code)
  })

  it.each(['', 'soon', '1e30', '9'.repeat(20)])('does not take %j for a time', async (time) => {
    const failure = await against(answering(200, streamOf([[time, 'a line']])), (services) =>
      failureOf(runTool(lokiSearch(services), logQuery)),
    )
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: 'Loki answered in a form that is not its own.' })
  })
})
