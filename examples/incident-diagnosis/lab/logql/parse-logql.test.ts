import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelsToObject, makeLabels } from '../metrics/labels.ts'
import { selectEntry } from './log-query.ts'
import { LogqlError } from './logql-error.ts'
import { parseLogql } from './parse-logql.ts'

const labels = makeLabels([
  ['service', 'order-service'],
  ['level', 'error'],
])

function selects(query: string, line = 'payment-client timeout after 600 ms'): boolean {
  return labelsAfter(query, line) !== undefined
}

function labelsAfter(query: string, line: string): Readonly<Record<string, string>> | undefined {
  const parsed = parseLogql(query)
  if (parsed.kind !== 'log-query') throw new Error('expected a log query')
  const selected = selectEntry(parsed, { timestamp: 0n, labels, line })
  return selected && labelsToObject(selected.labels)
}

function refusal(query: string): string {
  try {
    parseLogql(query)
  } catch (error) {
    if (error instanceof LogqlError) return error.message
    throw error
  }
  return 'accepted'
}

describe('parseLogql', () => {
  it.each([
    ['{service="order-service"}', true],
    ['{ service = "order-service" , level != "info" , }', true],
    ['{service=~"order"}', false],
    ['{service=~"order.*", level!~"warn|info"}', true],
    ['{service="order-service", pod=""}', true],
    ['{service!=""}', true],
    ['{service="order-service"} |= "timeout"', true],
    ['{service="order-service"} |= `timeout` != "retry"', true],
    ['{service="order-service"} != "timeout"', false],
    ['{service="order-service"} |~ "time(out|r)" # a comment', true],
    ['{service="order-service"} |~ "(?i)TIMEOUT"', true],
    ['{service="order-service"} !~ `\\d+ ms`', false],
    ['{service="order-service"}\n  |= "timeout"\n  |= "600"', true],
    ['{service="order-service"} |= "timeout" | level="error" != "retry"', true],
    ['{service="order-service"} | level!="error"', false],
    ['{service="order-service"} | level=~"err.*" | pod=""', true],
    ['{service="order-service"} | absent > 1', false],
  ])('decides %s', (query, expected) => {
    expect(selects(query)).toBe(expected)
  })

  it.each([
    ['{a="b"} | json x="y"', 'the pipeline stage | json with parameters'],
    ['{a="b"} | logfmt', 'the pipeline stage | logfmt'],
    ['{a="b"} | unknown', 'the pipeline stage | unknown'],
    ['{a="b"} |= "x" | line_format "{{.a}}"', 'the pipeline stage | line_format'],
    ['{a="b"} | level="error" or level="warn"', '"or" between label filters (chain them with |)'],
    ['{a="b"} | level="error", pod="p"', '"," between label filters (chain them with |)'],
    ['{a="b"} | (level="error")', 'a label filter in parentheses'],
    ['{a="b"} | took > 250ms', 'a duration or a size in a label filter'],
    ['{a="b"} | address = ip("10.0.0.0/8")', 'the label filter ip()'],
    ['{a="b"} |> "<_> x"', 'the pattern filter |>'],
    ['{a="b"} |= ip("10.0.0.0/8")', 'the line filter ip()'],
    ['{a="b"} |= "x" or "y"', '"or" in a line filter'],
    ['{a="b"}[5m]', 'a range of log lines outside count_over_time'],
    ['count_over_time({a="b"}[5m] offset 1h)', 'the offset modifier'],
    ['count_over_time({a="b"}[5m] |= "x")', 'a pipeline behind the range (write it before)'],
    ['count_over_time({a="b"}[5m]) > 1', 'an operator between metric queries'],
    ['sum(count_over_time({a="b"}[5m]) / 2)', 'an operator between metric queries'],
    ['sum by (a) (rate({a="b"}[5m]))', 'sum of rate'],
    ['sum(sum(count_over_time({a="b"}[5m])))', 'sum of sum'],
    ['max(count_over_time({a="b"}[5m]))', 'the metric query max'],
    ['rate({a="b"}[5m])', 'the metric query rate'],
  ])('names what the lab lacks in %s', (query, what) => {
    expect(refusal(query)).toContain(`LOGQL_UNSUPPORTED: ${what} is not supported by this lab; supported: `)
  })

  it.each([
    ['', 'at position 1: expected a stream selector such as {service="order-service"}, found the end of the query'],
    ['order-service', 'at position 1: expected a stream selector'],
    ['{}', 'at position 1: expected at least one matcher that does not match the empty text, found none'],
    ['{a=~".*"}', 'at position 1: expected at least one matcher that does not match the empty text, found none'],
    ['{a="b"', 'at position 7: expected "," or "}", found the end of the query'],
    ['{a}', 'at position 3: expected one of = != =~ !~, found "}"'],
    ['{a=b}', 'at position 4: expected a text in quotes, found "b}"'],
    ['{a=~"["}', 'at position 5: expected a regular expression, found "[", which is none: missing closing ]'],
    ['{a="b"} |= timeout', 'at position 12: expected a text in quotes or backticks, found "timeout"'],
    ['{a="b"} |~ "("', 'at position 12: expected a regular expression, found "(", which is none'],
    [
      '{a="b"} |= "x',
      'at position 12: expected a text in quotes or backticks, found a string without its closing quote',
    ],
    ['{a="b"} timeout', 'at position 9: expected a line filter such as |= "timeout", or the end of the query'],
    ['{a="b"} |', 'at position 10: expected json or a label filter such as level="error", found the end of the query'],
    ['{a="b"} | level !> 3', 'at position 17: expected one of = != =~ !~ == > >= < <=, found "!> 3"'],
    ['{a="b"} | level > "x"', 'at position 19: expected a number behind >, found '],
    ['{a="b"} | level = x', 'at position 19: expected a text in quotes, found "x"'],
    ['count_over_time({a="b"})', 'at position 24: expected a range such as [5m], found ")"'],
    ['count_over_time({a="b"}[0s])', 'at position 25: expected a duration above 0 such as 5m, found "0s"'],
    ['sum by level (count_over_time({a="b"}[5m]))', 'at position 8: expected "("'],
    ['sum({a="b"})', 'at position 5: expected count_over_time'],
    ['count_over_time({a="b"}[5m]) x', 'at position 30: expected the end of the query, found "x"'],
    [`{a="${'b'.repeat(10_000)}"}`, 'expected a query of at most 10000 characters'],
  ])('says where %s is wrong', (query, text) => {
    expect(refusal(query)).toMatch(/^LOGQL_SYNTAX_ERROR: /)
    expect(refusal(query)).toContain(text)
  })

  it.each([
    ['{"status": 503, "ok": false, "nothing": null, "list": [1]}', { status: '503', ok: 'false' }],
    ['{"user": {"id": "u-1", "0 x": 2.5}, "9": "nine"}', { user_id: 'u-1', user_0_x: '2.5', _9: 'nine' }],
    ['{"level": "fatal", "a.b": 1, "a_b": 2}', { level_extracted: 'fatal', a_b: '1' }],
    ['plain text', { __error__: 'JSONParserErr' }],
    ['[1]', { __error__: 'JSONParserErr' }],
  ])('extracts labels from %s', (line, added) => {
    expect(labelsAfter('{service="order-service"} | json', line)).toEqual({
      service: 'order-service',
      level: 'error',
      ...added,
    })
  })

  it.each([
    ['| json | status >= 500', true],
    ['| json | status=500', false],
    ['| json | status == 503 | path=~"/orders/.*"', true],
    ['| json | status < 5.04e2 |= "orders"', true],
    ['| json | path > 3', true],
    ['| json | path > 3 | __error__=""', false],
    ['| status >= 500', false],
    ['| json | json = "x"', false],
  ])('decides a JSON line with %s', (stages, expected) => {
    expect(selects(`{service="order-service"} ${stages}`, '{"status": 503, "path": "/orders/7"}')).toBe(expected)
  })

  it('answers any text with a query or its own error', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      'a',
      '=',
      '"x"',
      '|=',
      '|',
      '!=',
      '=~',
      ' ',
      'json',
      'rate',
      'count_over_time',
      'sum by (a)',
      '>',
      '(',
      '[5m]',
      ',',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        ),
        (query) => {
          expect(refusal(query)).toMatch(/^(?:accepted$|LOGQL_(?:SYNTAX_ERROR|UNSUPPORTED): )/)
        },
      ),
      { numRuns: 500 },
    )
  })
})
