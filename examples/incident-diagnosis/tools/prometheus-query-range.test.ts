import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolError, type Json } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { runTool, testContext } from '../planner/testing/test-driver.ts'
import type { IncidentServices } from './incident-services.ts'
import { lokiSearch } from './loki-search.ts'
import { prometheusQueryRange } from './prometheus-query-range.ts'

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
    [200, 'no json', 'UNAVAILABLE', 'cannot be reached'],
  ])('turns HTTP %i %j into %s', async (status, body, code, words) => {
    const failure = await against(answering(status, body), (services) =>
      failureOf(runTool(prometheusQueryRange(services), metricQuery)),
    )
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(words)
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
    [500, 'LOGS_LINE_INVALID: logs.jsonl, line 2: expected x, found y', 'BAD_DATA'],
  ])('turns HTTP %i %s into %s', async (status, body, code) => {
    const failure = await against(answering(status, body), (services) =>
      failureOf(runTool(lokiSearch(services), logQuery)),
    )
    expect(failure.code).toBe(code)
  })
})
