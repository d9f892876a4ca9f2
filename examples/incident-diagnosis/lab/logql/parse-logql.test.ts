import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeLabels } from '../metrics/labels.ts'
import { selectsEntry } from './log-query.ts'
import { LogqlError } from './logql-error.ts'
import { parseLogql } from './parse-logql.ts'

const labels = makeLabels([
  ['service', 'order-service'],
  ['level', 'error'],
])

function selects(query: string, line = 'payment-client timeout after 600 ms'): boolean {
  return selectsEntry(parseLogql(query), { timestamp: 0n, labels, line })
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
  ])('decides %s', (query, expected) => {
    expect(selects(query)).toBe(expected)
  })

  it.each([
    ['{a="b"} | json', 'the pipeline stage | json'],
    ['{a="b"} |= "x" | line_format "{{.a}}"', 'the pipeline stage | line_format'],
    ['{a="b"} | level="error"', 'the pipeline stage | level'],
    ['{a="b"} |> "<_> x"', 'the pattern filter |>'],
    ['{a="b"} |= ip("10.0.0.0/8")', 'the line filter ip()'],
    ['{a="b"} |= "x" or "y"', '"or" in a line filter'],
    ['{a="b"}[5m]', 'a range of log lines'],
    ['count_over_time({a="b"}[5m])', 'the metric query count_over_time'],
    ['sum by (a) (rate({a="b"}[5m]))', 'the metric query sum'],
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
    [`{a="${'b'.repeat(10_000)}"}`, 'expected a query of at most 10000 characters'],
  ])('says where %s is wrong', (query, text) => {
    expect(refusal(query)).toMatch(/^LOGQL_SYNTAX_ERROR: /)
    expect(refusal(query)).toContain(text)
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
