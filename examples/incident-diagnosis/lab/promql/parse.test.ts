import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePromql } from './parse.ts'
import { PromqlError } from './promql-error.ts'

function refusal(query: string): string {
  try {
    parsePromql(query)
  } catch (error) {
    if (error instanceof PromqlError) return error.message
    throw error
  }
  return 'accepted'
}

describe('parsePromql', () => {
  it.each([
    ['count(a)', 'the aggregation count'],
    ['quantile(0.5, a)', 'the aggregation quantile'],
    ['a offset (5m * 2)', 'arithmetic in an offset'],
    ['rate(a[5m] offset step())', 'arithmetic in an offset'],
    ['a @ 1600000000', 'the @ modifier'],
    ['rate(a[5m])[1h:1m]', 'a subquery'],
    ['max_over_time(a[1h])', 'the function max_over_time'],
    ['label_replace(a, "x", "$1", "y", "(.*)")', 'the function label_replace'],
    ['a[5m:]', 'a subquery'],
    ['a[5m * 2]', 'arithmetic in a range'],
    ['a > on (x) b', 'the vector matching modifier on'],
    ['a == bool ignoring (x) b', 'the vector matching modifier ignoring'],
    ['a and b', 'the operator and'],
    ['a OR b', 'the operator or'],
    ['a unless b', 'the operator unless'],
    ['a atan2 b', 'the operator atan2'],
    ['a / on (x) b', 'the vector matching modifier on'],
    ['a / ignoring (x) group_left b', 'the vector matching modifier ignoring'],
  ])('names what the lab lacks in %s', (query, what) => {
    expect(refusal(query)).toMatch(/^PROMQL_UNSUPPORTED: /)
    expect(refusal(query)).toContain(`: ${what} is not supported by this lab; supported: `)
  })

  it.each([
    ['', 'at position 1: expected an expression, found the end of the query'],
    ['sum(a', 'at position 6: expected "," or ")", found the end of the query'],
    ['a b', 'at position 3: expected an operator or the end of the query, found "b"'],
    ['a{b=1}', 'at position 5: expected a text in quotes, found "1"'],
    ['a{b="1" c="2"}', 'at position 9: expected "," or "}", found "c"'],
    ['a{b~"1"}', 'at position 4: expected an expression, found the character "~"'],
    ['a{b=="1"}', 'at position 4: expected one of = != =~ !~, found "=="'],
    ['a{b=~"("}', 'at position 6: expected a regular expression, found '],
    ['a{b="1', 'at position 5: expected a string literal, found a string without its closing quote'],
    ['a{b="\\q"}', 'at position 6: expected a string literal, found an unknown escape sequence \\q'],
    ['{}', 'at position 1: expected at least one matcher that does not match the empty text, found none'],
    ['{a=~".*"}', 'at position 1: expected at least one matcher that does not match the empty text, found none'],
    ['a{__name__="b"}', 'at position 1: expected the metric name once, found it before and inside the braces'],
    ['a[5]m', 'at position 5: expected an operator or the end of the query, found "m"'],
    ['a[5x]', 'at position 3: expected a number such as 0.95 or a duration such as 5m, found "5x"'],
    ['a[0s]', 'at position 3: expected a duration above 0 such as 5m, found "0s"'],
    ['a[5s3m]', 'at position 3: expected a duration above 0 such as 5m, found "5s3m"'],
    ['sum(a)[5m]', 'at position 7: expected a range only behind a vector selector, found it behind another expression'],
    ['rate(a)', 'at position 6: expected range vector as argument 1 of rate, found instant vector'],
    ['rate(a[5m], 1)', 'at position 1: expected 1 argument(s) for rate, found 2'],
    ['sum(1)', 'at position 5: expected instant vector as the argument of sum, found scalar'],
    ['sum(a, b)', 'at position 1: expected one argument for sum, found 2 arguments'],
    ['a[5m] + 1', 'at position 1: expected scalar or instant vector left of +, found range vector'],
    ['1 + "x"', 'at position 5: expected scalar or instant vector right of +, found string'],
    [
      'histogram_quantile(a, b)',
      'at position 20: expected scalar as argument 1 of histogram_quantile, found instant vector',
    ],
    ['increase(a)', 'at position 10: expected range vector as argument 1 of increase, found instant vector'],
    [
      'sum(a) offset 5m',
      'at position 8: expected an offset only behind a selector or its range, found it behind another',
    ],
    ['(a) offset 5m', 'at position 5: expected an offset only behind a selector or its range'],
    ['a offset 5m offset 5m', 'at position 13: expected one offset, found a second one'],
    ['a offset 5m [5m]', 'at position 13: expected the range before the offset, found it behind the offset'],
    ['a offset', 'at position 9: expected a duration such as 5m, found the end of the query'],
    ['a offset - -5m', 'at position 12: expected a duration such as 5m, found "-"'],
    ['1 > 2', 'at position 1: expected bool behind >, as both sides are scalars, found none'],
    ['a + bool b', 'at position 5: expected no bool behind +: it modifies comparisons only, found "bool"'],
    ['topk(a)', 'at position 1: expected a number and a vector as arguments of topk, found 1 arguments'],
    ['topk(a, b)', 'at position 6: expected scalar as the first argument of topk, found instant vector'],
    ['bottomk(1, 2)', 'at position 12: expected instant vector as the argument of bottomk, found scalar'],
    ['unknown(a)', 'at position 1: expected the name of a function, found "unknown"'],
    ['sum by job (a)', 'at position 8: expected "(", found "job"'],
    ['(a', 'at position 3: expected ")", found the end of the query'],
    ['a $ b', 'at position 3: expected an expression, found the character "$"'],
    [`${'('.repeat(300)}a`, 'expected at most 200 levels of nesting'],
    [`${'1+'.repeat(4_990)}1`, 'at position 1: expected at most 500 levels of nesting and terms in a row, found more'],
    ['1+'.repeat(6000), 'expected a query of at most 10000 characters'],
  ])('says where %s is wrong', (query, text) => {
    expect(refusal(query)).toMatch(/^PROMQL_SYNTAX_ERROR: /)
    expect(refusal(query)).toContain(text)
  })

  it.each([
    'sum',
    'by{a="b"}',
    'rate',
    'job:request_rate:sum5m / 2',
    "a{b='x', c=`y\\d`} # the end",
    'sum by () (a)',
    'sum(a) without (b, c,)',
    'sum by (le, sum, by) (a)',
    'rate((a[1h30m]))',
    'a[300]',
    '"a string"',
    'Inf + nan',
    'a + on',
    'min by (x) (a)',
    'topk(3, a)',
    'bottomk by (x) (2 + 1, sum by (x, y) (a))',
    'topk without (x) (1, a)',
    'rate(a[5m] offset 1h) - rate(a[5m] OFFSET -1h)',
    'a{b="c"} offset 300',
    '-a offset + 5m',
    'a == bool 1',
    '1 < bool 2 >= bool 0',
    'a > b != c',
    `${'a+'.repeat(400)}a`,
  ])('accepts %s', (query) => {
    expect(refusal(query)).toBe('accepted')
  })

  it('groups by strength: ^ to the right, the others to the left', () => {
    const shape = (query: string): string => {
      const show = (expression: ReturnType<typeof parsePromql>): string => {
        if (expression.kind === 'binary')
          return `(${show(expression.left)}${expression.operator}${show(expression.right)})`
        if (expression.kind === 'sign') return `(${expression.sign}${show(expression.operand)})`
        if (expression.kind === 'parentheses') return show(expression.inner)
        return expression.kind === 'number' ? String(expression.value) : expression.kind
      }
      return show(parsePromql(query))
    }
    expect(shape('1-2-3')).toBe('((1-2)-3)')
    expect(shape('1+2*3^4^5')).toBe('(1+(2*(3^(4^5))))')
    expect(shape('-1^2*3')).toBe('((-(1^2))*3)')
    expect(shape('2*-1+3')).toBe('((2*(-1))+3)')
    expect(shape('(1+2)*3%4')).toBe('(((1+2)*3)%4)')
  })

  it('answers any text with an expression or its own error', () => {
    const piece = fc.constantFrom(
      'a',
      'sum',
      'rate',
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
      '5m',
      '=',
      '=~',
      '"x"',
      ',',
      'by',
      '-',
      '>',
      'bool',
      'offset',
      'topk',
      '^',
      '1',
      ' ',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        ),
        (query) => {
          expect(refusal(query)).toMatch(/^(?:accepted$|PROMQL_(?:SYNTAX_ERROR|UNSUPPORTED): )/)
        },
      ),
      { numRuns: 500 },
    )
  })
})
