import { describe, expect, it } from 'vitest'
import { labelsToObject } from '../metrics/labels.ts'
import { IncidentDataError } from './incident-data-error.ts'
import { parseOpenMetrics } from './parse-open-metrics.ts'

function read(text: string): unknown {
  return parseOpenMetrics(text, 'metrics.om').map(({ labels, timestamps, values }) => ({
    ...labelsToObject(labels),
    samples: Array.from(timestamps, (time, index) => [time, values[index]]),
  }))
}

function failure(text: string): IncidentDataError {
  try {
    parseOpenMetrics(text, 'metrics.om')
  } catch (error) {
    if (error instanceof IncidentDataError) return error
    throw error
  }
  throw new Error('expected an IncidentDataError, found none')
}

describe('parseOpenMetrics', () => {
  it('reads labels, escapes, special values and fractional times', () => {
    const text = String.raw`# HELP m some text
# TYPE m gauge
# UNIT m_seconds seconds
m{path="C:\\dir",quote="\"",line="a\nb",other="\d"} 1.5e3 1777455000.123
m{path="x",} NaN 1777455000
m +Inf 1777455000
m{} -Inf 1777455001
# EOF
`
    expect(read(text)).toEqual([
      {
        __name__: 'm',
        samples: [
          [1777455000000, Infinity],
          [1777455001000, -Infinity],
        ],
      },
      { __name__: 'm', line: 'a\nb', other: '\\d', path: 'C:\\dir', quote: '"', samples: [[1777455000123, 1500]] },
      { __name__: 'm', path: 'x', samples: [[1777455000000, NaN]] },
    ])
  })

  it('sorts the samples of a series and ignores exemplars', () => {
    const text = 'c_total 3 30 # {trace_id="a b"} 0.5 29.5\nc_total 1 10\nc_total 2 20\nc_total 2 20\n# EOF\n'
    expect(read(text)).toEqual([
      {
        __name__: 'c_total',
        samples: [
          [10000, 1],
          [20000, 2],
          [30000, 3],
        ],
      },
    ])
  })

  it('reads names in quotes', () => {
    expect(read('{"my.metric","my.label"="v"} 1 10\n# EOF')).toEqual([
      { __name__: 'my.metric', 'my.label': 'v', samples: [[10000, 1]] },
    ])
  })

  it('normalises the bounds of declared histograms only', () => {
    const text = '# TYPE h histogram\nh_bucket{le="1"} 1 10\n# TYPE g gauge\ng{le="1"} 1 10\n# EOF\n'
    expect(read(text)).toMatchObject([{ le: '1' }, { le: '1.0' }])
  })

  it('treats an empty label value as no label', () => {
    expect(read('m{a=""} 1 10\nm 2 20\n# EOF')).toEqual([
      {
        __name__: 'm',
        samples: [
          [10000, 1],
          [20000, 2],
        ],
      },
    ])
  })

  it('reads nothing from an empty exposition', () => {
    expect(read('# EOF\n')).toEqual([])
  })

  it.each([
    ['m 1', 'the time in seconds since 1970 behind the value at column 5, found the end of the line'],
    ['m x 10', 'a number as the value at column 3, found "x 10"'],
    ['m 1 later', 'the time in seconds since 1970 behind the value at column 5, found "later"'],
    ['m 1 NaN', 'the time in seconds since 1970 behind the value at column 5, found "NaN"'],
    ['m{a="b" 1 10', '"," or "}" behind a label at column 8, found " 1 10"'],
    ['m{a=b} 1 10', 'a label value in double quotes at column 5, found "b} 1 10"'],
    ['m{a="b} 1 10', 'a label value in double quotes, closed at column 5, found "\\"b} 1 10"'],
    ['m{a} 1 10', '"=" behind the label name at column 4, found "} 1 10"'],
    ['m{a="1",a="2"} 1 10', 'the label a once at column 2, found '],
    ['{a="1"} 1 10', 'a metric name at column 1, found '],
    ['9m 1 10', 'a metric name at column 1, found "9m 1 10"'],
    ['m  1 10', 'one space, the value, one space and the time in seconds at column 2, found "  1 10"'],
  ])('names the line, the column and what it expected for %j', (line, text) => {
    const error = failure(`# TYPE m gauge\n${line}\n# EOF\n`)
    expect(error).toMatchObject({ code: 'METRICS_LINE_INVALID', file: 'metrics.om', line: 2 })
    expect(error.message).toContain(`METRICS_LINE_INVALID: metrics.om, line 2: expected ${text}`)
  })

  it('refuses text that was cut short', () => {
    expect(failure('m 1 10\nm 2 20\n')).toMatchObject({ code: 'METRICS_END_MISSING', line: undefined })
    expect(failure('').code).toBe('METRICS_END_MISSING')
  })

  it('refuses anything behind the end', () => {
    expect(failure('# EOF\nm 1 10\n')).toMatchObject({ code: 'METRICS_LINE_INVALID', line: 2 })
  })

  it('refuses two values of one series at one time', () => {
    const error = failure('m 1 10\nm 2 10\n# EOF\n')
    expect(error).toMatchObject({ code: 'METRICS_SAMPLE_CONFLICT', line: 2 })
    expect(error.message).toContain('line 1 already gives 1, found 2')
  })
})
