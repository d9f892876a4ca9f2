import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { runningLab } from '../testing/running-lab.ts'
import type { RunningLab } from '../testing/running-lab.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const metrics = `# TYPE up gauge
up{job="b"} 1 1000
up{job="a"} 0.5 1000
up{job="a"} NaN 1060
# TYPE late gauge
late{job="c"} 7 5000.25
# TYPE c counter
c_total 1 990
c_total 4 1020
c_total 7 1050
# EOF
`

async function withLab<T>(use: (lab: RunningLab) => Promise<T>, text = metrics): Promise<T> {
  const folder = await temporaryFolder({ 'metrics.om': text })
  const lab = await runningLab(folder.path)
  return await use(lab)
}

const range = { start: '1000', end: '1120', step: '60' }

describe('query_range', () => {
  it('answers a matrix in the order of the labels', async () => {
    const answer = await withLab((lab) => lab.get('/api/v1/query_range', { ...range, query: 'up' }))
    expect(answer).toMatchObject({ status: 200, contentType: 'application/json' })
    expect(answer.json).toEqual({
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'up', job: 'a' },
            values: [
              [1000, '0.5'],
              [1060, 'NaN'],
              [1120, 'NaN'],
            ],
          },
          {
            metric: { __name__: 'up', job: 'b' },
            values: [
              [1000, '1'],
              [1060, '1'],
              [1120, '1'],
            ],
          },
        ],
      },
    })
  })

  it.each([
    ['seconds with a fraction', { start: '4999.75', end: '5000.25', step: '0.5' }, [5000.25]],
    [
      'RFC 3339 and a duration',
      { start: '1970-01-01T01:23:20Z', end: '1970-01-01T02:24:20.5+01:00', step: '1m' },
      [5060],
    ],
  ])('takes %s', async (_, times, expected) => {
    const answer = await withLab((lab) => lab.get('/api/v1/query_range', { ...times, query: 'late' }))
    expect(answer.json).toMatchObject({
      data: { result: [{ values: expected.map((time) => [time, '7']) }] },
    })
  })

  it('answers a scalar as one series without labels', async () => {
    const answer = await withLab((lab) => lab.get('/api/v1/query_range', { ...range, query: '1 / 4' }))
    expect(answer.json).toMatchObject({
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: {},
            values: [
              [1000, '0.25'],
              [1060, '0.25'],
              [1120, '0.25'],
            ],
          },
        ],
      },
    })
  })

  it('answers the same to a form by POST', async () => {
    const [byGet, byPost] = await withLab((lab) =>
      Promise.all([
        lab.get('/api/v1/query_range', { ...range, query: 'sum(up)' }),
        lab.post('/api/v1/query_range', { ...range, query: 'sum(up)' }),
      ]),
    )
    expect(byPost).toEqual(byGet)
    expect(byGet?.status).toBe(200)
  })

  it.each([
    [{ start: '' }, 'invalid parameter "start": cannot parse "" to a valid timestamp'],
    [{ start: 'noon' }, 'invalid parameter "start": cannot parse "noon" to a valid timestamp'],
    [{ end: '999' }, 'invalid parameter "end": end timestamp must not be before start time'],
    [{ step: '' }, 'invalid parameter "step": cannot parse "" to a valid duration'],
    [
      { step: '0' },
      'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer',
    ],
    [
      { end: '12001', step: '1' },
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    ],
    [
      { query: 'up[5m]' },
      'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector',
    ],
    [{ query: 'up{' }, 'PROMQL_SYNTAX_ERROR: at position 4: expected a label name or "}", found the end of the query'],
  ])('refuses %j as bad data', async (change, error) => {
    const answer = await withLab((lab) => lab.get('/api/v1/query_range', { ...range, query: 'up', ...change }))
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({ status: 'error', errorType: 'bad_data', error })
  })

  it('still answers 11,000 steps', async () => {
    const answer = await withLab((lab) =>
      lab.get('/api/v1/query_range', { ...range, end: '12000', step: '1', query: 'up' }),
    )
    expect(answer.status).toBe(200)
  })

  it('says what it does not support', async () => {
    const query = 'label_replace(c_total, "a", "$1", "b", "(.*)")'
    const answer = await withLab((lab) => lab.get('/api/v1/query_range', { ...range, query }))
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ status: 'error', errorType: 'unsupported' })
    expect(answer.text).toContain('PROMQL_UNSUPPORTED: the function label_replace is not supported by this lab;')
  })

  it('refuses a chain too long to evaluate', async () => {
    const query = `${'1+'.repeat(4_990)}1`
    const answers = await withLab((lab) =>
      Promise.all([
        lab.post('/api/v1/query_range', { ...range, query }),
        lab.post('/api/v1/query', { time: '1000', query }),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(answers[0]?.text).toContain('PROMQL_SYNTAX_ERROR: at position 1: expected at most 500 levels')
  })

  it('says where the data makes a query ambiguous', async () => {
    const answer = await withLab((lab) =>
      lab.get('/api/v1/query_range', { ...range, query: 'up + {__name__=~"up|c_total"}' }),
    )
    expect(answer.status).toBe(200)
    const refused = await withLab(
      (lab) => lab.get('/api/v1/query_range', { ...range, query: '-{__name__=~"x|y"}' }),
      'x 1 1000\ny 1 1000\n# EOF\n',
    )
    expect(refused.status).toBe(422)
    expect(refused.json).toMatchObject({ errorType: 'execution' })
  })
})

describe('query', () => {
  it.each([
    ['up{job="b"}', { resultType: 'vector', result: [{ metric: { __name__: 'up', job: 'b' }, value: [1060, '1'] }] }],
    ['2 * 3', { resultType: 'scalar', result: [1060, '6'] }],
    ['"text"', { resultType: 'string', result: [1060, 'text'] }],
    ['nothing', { resultType: 'vector', result: [] }],
    [
      '(c_total[50s])',
      {
        resultType: 'matrix',
        result: [
          {
            metric: { __name__: 'c_total' },
            values: [
              [1020, '4'],
              [1050, '7'],
            ],
          },
        ],
      },
    ],
    ['rate(c_total[70s])', { resultType: 'vector', result: [{ metric: {}, value: [1060, '0.1'] }] }],
  ])('answers %s', async (query, data) => {
    const answer = await withLab((lab) => lab.get('/api/v1/query', { query, time: '1060' }))
    expect(answer.json).toEqual({ status: 'success', data })
  })

  it('looks at the present without a time, where old data has nothing', async () => {
    const answer = await withLab((lab) => lab.post('/api/v1/query', { query: 'up' }))
    expect(answer.json).toEqual({ status: 'success', data: { resultType: 'vector', result: [] } })
  })
})

describe('series and labels', () => {
  it.each([
    ['/api/v1/labels', {}, ['__name__', 'job']],
    ['/api/v1/labels', { 'match[]': 'c_total' }, ['__name__']],
    ['/api/v1/label/job/values', {}, ['a', 'b', 'c']],
    ['/api/v1/label/job/values', { 'match[]': 'up' }, ['a', 'b']],
    ['/api/v1/label/job/values', { start: '4000' }, ['c']],
    ['/api/v1/label/job/values', { end: '100' }, []],
    ['/api/v1/label/__name__/values', {}, ['c_total', 'late', 'up']],
    ['/api/v1/label/none/values', {}, []],
    [
      '/api/v1/series',
      { 'match[]': '{job=~"a|c"}' },
      [
        { __name__: 'late', job: 'c' },
        { __name__: 'up', job: 'a' },
      ],
    ],
    ['/api/v1/series', { 'match[]': 'up', start: '1030', end: '1200' }, [{ __name__: 'up', job: 'a' }]],
  ])('answers %s %j', async (path, parameters, data) => {
    const answer = await withLab((lab) => lab.get(path, parameters))
    expect(answer.json).toEqual({ status: 'success', data })
  })

  it('says when a limit cut the answer', async () => {
    const answer = await withLab((lab) => lab.get('/api/v1/label/job/values', { limit: '2' }))
    expect(answer.json).toEqual({ status: 'success', data: ['a', 'b'], warnings: ['results truncated due to limit'] })
  })

  it.each(['/api/v1/series', '/api/v1/labels', '/api/v1/label/job/values'])(
    'answers %s for a pattern on which a backtracking engine never ends',
    async (path) => {
      const text = `up{job="${'a'.repeat(60)}b"} 1 1000\n# EOF\n`
      const answer = await withLab((lab) => lab.get(path, { 'match[]': '{job=~"(a+)+"}' }), text)
      expect(answer.json).toEqual({ status: 'success', data: [] })
    },
  )

  it('wants a selector for series', async () => {
    const answers = await withLab((lab) =>
      Promise.all([lab.get('/api/v1/series'), lab.get('/api/v1/series', { 'match[]': '{job=~".*"}' })]),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(answers[0]?.json).toMatchObject({ errorType: 'bad_data', error: 'no match[] parameter provided' })
  })
})

describe('other paths', () => {
  it('answers 404 and 405', async () => {
    const statuses = await withLab(async (lab) => [
      (await lab.get('/api/v1/nothing')).status,
      (await lab.get('/api/v1/label//values')).status,
      (await fetch(`${lab.prometheusUrl}/api/v1/query`, { method: 'DELETE' })).status,
    ])
    expect(statuses).toEqual([404, 404, 405])
  })

  it.each(['//evil.example:99999/api', 'http://evil.example:99999/api', '/api/v1/label/%zz/values', '*'])(
    'does not know the target %s',
    async (target) => {
      const status = await withLab(async (lab) => {
        const { hostname, port } = new URL(lab.prometheusUrl)
        return await new Promise<number | undefined>((resolve, reject) => {
          request({ hostname, port, path: target, agent: false }, (response) => {
            response.resume()
            resolve(response.statusCode)
          })
            .on('error', reject)
            .end()
        })
      })
      expect(status).toBe(404)
    },
  )

  it('refuses a form beyond its limit', async () => {
    const answer = await withLab((lab) => lab.post('/api/v1/query', { query: 'x'.repeat(1_000_001) }))
    expect(answer.status).toBe(413)
  })
})
