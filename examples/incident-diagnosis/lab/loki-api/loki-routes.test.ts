import { describe, expect, it } from 'vitest'
import { runningLab } from '../testing/running-lab.ts'
import type { LabAnswer } from '../testing/running-lab.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const lines = [
  { ts: '1970-01-01T00:00:03.000000003Z', labels: { service: 'a', level: 'error' }, line: 'timeout 3' },
  { ts: '1970-01-01T00:00:01.000000001Z', labels: { service: 'a', level: 'error' }, line: 'timeout 1' },
  { ts: '1970-01-01T01:00:02.000000002+01:00', labels: { service: 'a', level: 'info' }, line: 'fine 2' },
  { ts: '1970-01-01T00:00:04Z', labels: { service: 'b' }, line: 'other 4' },
]

async function ask(path: string, parameters: Readonly<Record<string, string>>): Promise<LabAnswer> {
  const folder = await temporaryFolder({
    'logs.jsonl': lines.map((line) => JSON.stringify(line)).join('\n'),
  })
  const lab = await runningLab(folder.path)
  return await lab.get(path, parameters)
}

const range = { start: '0', end: '10' }
const times = (answer: LabAnswer): readonly string[] =>
  [...answer.text.matchAll(/\["(\d+)",/g)].map(([, time]) => time ?? '')

describe('query_range', () => {
  it('answers streams with exact times, newest first', async () => {
    const answer = await ask('/loki/api/v1/query_range', { ...range, query: '{service="a"}' })
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json' })
    expect(answer.json).toEqual({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [
          {
            stream: { level: 'error', service: 'a' },
            values: [
              ['3000000003', 'timeout 3'],
              ['1000000001', 'timeout 1'],
            ],
          },
          { stream: { level: 'info', service: 'a' }, values: [['2000000002', 'fine 2']] },
        ],
        stats: {},
      },
    })
  })

  it.each([
    [{ direction: 'forward' }, ['1000000001', '3000000003', '2000000002']],
    [{ direction: 'forward', limit: '2' }, ['1000000001', '2000000002']],
    [{ direction: 'BACKWARD', limit: '1' }, ['3000000003']],
    [{ start: '1000000001000000001', end: '1000000001000000002' }, []],
    [{ start: '00000001000000001', end: '00000003000000003' }, ['1000000001', '2000000002']],
    [{ start: '1.5', end: '2.5' }, ['2000000002']],
    [{ start: '1970-01-01T00:00:01.000000002Z', end: '1970-01-01T00:00:03.000000004Z' }, ['3000000003', '2000000002']],
    [{ query: '{service=~".+"} |= "timeout" != "3"' }, ['1000000001']],
    [{ query: '{service="none"}' }, []],
  ])('answers %j', async (change, expected) => {
    const answer = await ask('/loki/api/v1/query_range', { ...range, query: '{service="a"}', ...change })
    expect(answer.status).toBe(200)
    expect(times(answer)).toEqual(expected)
  })

  it.each([
    [
      { query: '{service="a"} | logfmt' },
      422,
      'LOGQL_UNSUPPORTED: the pipeline stage | logfmt is not supported by this lab',
    ],
    [{ query: '{service="a"' }, 400, 'LOGQL_SYNTAX_ERROR: at position 13: expected "," or "}"'],
    [{ query: '' }, 400, 'LOGQL_SYNTAX_ERROR: '],
    [
      { query: 'count_over_time({service="a"} | json [1s])' },
      400,
      'LOGQL_EVALUATION_ERROR: pipeline error: JSONParserErr',
    ],
    [
      { query: 'count_over_time({service="a"}[1s])', step: 'x' },
      400,
      'expected step as seconds or a duration such as 1m',
    ],
    [{ query: 'count_over_time({service="a"}[1s])', step: '0' }, 400, 'step widths are not accepted'],
    [{ query: 'count_over_time({service="a"}[1s])', step: '1ms', end: '12' }, 400, 'exceeded maximum resolution'],
    [{ start: 'noon' }, 400, 'expected start as nanoseconds, seconds or an RFC 3339 time, found "noon"'],
    [{ start: '10' }, 400, 'end timestamp must not be before or equal to start time'],
    [{ limit: '0' }, 400, 'limit must be a positive value'],
    [{ limit: '5001' }, 400, 'max entries limit per query exceeded'],
    [{ direction: 'up' }, 400, 'expected direction forward or backward, found "up"'],
  ])('refuses %j', async (change, status, text) => {
    const answer = await ask('/loki/api/v1/query_range', { ...range, query: '{service="a"}', ...change })
    expect(answer.status).toBe(status)
    expect(answer.contentType).toBe('text/plain; charset=utf-8')
    expect(answer.text).toContain(text)
  })

  it.each([
    [
      'count_over_time({service="a"}[2s])',
      { step: '1' },
      [
        [{ level: 'error', service: 'a' }, [2, '1'], [3, '1'], [4, '1'], [5, '1']],
        [{ level: 'info', service: 'a' }, [3, '1'], [4, '1']],
      ],
    ],
    ['sum(count_over_time({service=~".+"}[10s]))', { step: '5s' }, [[{}, [5, '4'], [10, '4']]]],
    [
      'sum by (service) (count_over_time({service=~".+"} != "3" [10s]))',
      { step: '10' },
      [
        [{ service: 'a' }, [10, '2']],
        [{ service: 'b' }, [10, '1']],
      ],
    ],
    [
      'sum without (level) (count_over_time({service="a"}[1s]))',
      { start: '4', end: '5' },
      [[{ service: 'a' }, [4, '1']]],
    ],
    [
      'count_over_time({service="b"}[1s])',
      { start: '4', end: '5.5', step: '0.5' },
      [[{ service: 'b' }, [4, '1'], [4.5, '1']]],
    ],
    ['count_over_time({service="none"}[1s])', {}, []],
  ])('counts with %s %j', async (query, change, expected) => {
    const answer = await ask('/loki/api/v1/query_range', { ...range, query, ...change })
    expect(answer.json).toEqual({
      status: 'success',
      data: {
        resultType: 'matrix',
        result: expected.map(([metric, ...values]) => ({ metric, values })),
        stats: {},
      },
    })
  })

  it('looks at the last hour without times, where old data has nothing', async () => {
    const answer = await ask('/loki/api/v1/query_range', { query: '{service="a"}' })
    expect(answer.json).toMatchObject({ status: 'success', data: { result: [] } })
  })
})

describe('labels', () => {
  it.each([
    ['/loki/api/v1/labels', {}, ['level', 'service']],
    ['/loki/api/v1/labels', { start: '4', end: '5' }, ['service']],
    ['/loki/api/v1/label/level/values', {}, ['error', 'info']],
    ['/loki/api/v1/label/service/values', { query: '{level="info"}' }, ['a']],
    ['/loki/api/v1/label/none/values', {}, []],
  ])('answers %s %j', async (path, parameters, data) => {
    expect((await ask(path, parameters)).json).toEqual({ status: 'success', data })
  })
})
