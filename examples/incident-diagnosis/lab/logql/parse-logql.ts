import { makeLabelMatcher } from '../metrics/label-matcher.ts'
import type { LabelMatcher, MatchOperator } from '../metrics/label-matcher.ts'
import { compilePattern } from '../text/compile-pattern.ts'
import type { LineFilter, LogQuery } from './log-query.ts'
import { logqlUnsupported } from './logql-error.ts'
import { QueryCursor } from './query-cursor.ts'

const maximumLength = 10_000
const metricWord = new RegExp(
  '(?:count_over_time|rate|rate_counter|bytes_rate|bytes_over_time|absent_over_time|[a-z]+_over_time|sum|avg|min|max|count|' +
    'stddev|stdvar|topk|bottomk|sort|sort_desc|approx_topk|label_replace|vector)(?![A-Za-z0-9_])',
)
const matchOperators: readonly MatchOperator[] = ['=', '!=', '=~', '!~']

/** Parses a stream selector with line filters; throws a LogqlError for anything else. */
export function parseLogql(query: string): LogQuery {
  const cursor = new QueryCursor(query)
  if (query.length > maximumLength) {
    throw cursor.unexpected(`a query of at most ${maximumLength} characters`, {
      offset: maximumLength,
      found: `${query.length} characters`,
    })
  }
  const word = cursor.peek(metricWord)
  if (word !== undefined) throw logqlUnsupported(`the metric query ${word}`)
  const matchers = parseSelector(cursor)
  const lineFilters: LineFilter[] = []
  while (!cursor.atEnd) lineFilters.push(parseLineFilter(cursor))
  return { matchers, lineFilters }
}

function parseSelector(cursor: QueryCursor): readonly LabelMatcher[] {
  const { offset } = cursor
  if (cursor.take(/\{/) === undefined) throw cursor.unexpected('a stream selector such as {service="order-service"}')
  const matchers: LabelMatcher[] = []
  while (cursor.take(/\}/) === undefined) {
    matchers.push(parseMatcher(cursor))
    if (cursor.take(/,/) === undefined && cursor.peek(/\}/) === undefined) throw cursor.unexpected('"," or "}"')
  }
  if (!matchers.some(({ matches }) => !matches(''))) {
    throw cursor.unexpected('at least one matcher that does not match the empty text', { offset, found: 'none' })
  }
  return matchers
}

function parseMatcher(cursor: QueryCursor): LabelMatcher {
  const name = cursor.take(/[A-Za-z_][A-Za-z0-9_]*/)
  if (name === undefined) throw cursor.unexpected('a label name or "}"')
  const symbol = cursor.take(/=~|!~|!=|=/)
  const operator = matchOperators.find((candidate) => candidate === symbol)
  if (operator === undefined) throw cursor.unexpected('one of = != =~ !~')
  const { offset } = cursor
  const made = makeLabelMatcher(name, operator, cursor.takeString('a text in quotes'))
  if (made.kind === 'refused') throw cursor.unexpected('a regular expression', { offset, found: made.problem })
  return made.matcher
}

function parseLineFilter(cursor: QueryCursor): LineFilter {
  const patternFilter = cursor.peek(/\|>|!>/)
  if (patternFilter !== undefined) throw logqlUnsupported(`the pattern filter ${patternFilter}`)
  const operator = cursor.take(/\|=|!=|\|~|!~/)
  if (operator === undefined) throw unknownStage(cursor)
  if (cursor.peek(/ip\s*\(/) !== undefined) throw logqlUnsupported('the line filter ip()')
  const { offset } = cursor
  const text = cursor.takeString('a text in quotes or backticks')
  if (cursor.peek(/or(?![A-Za-z0-9_])/) !== undefined) throw logqlUnsupported('"or" in a line filter')
  if (operator === '|=') return (line) => line.includes(text)
  if (operator === '!=') return (line) => !line.includes(text)
  const pattern = compilePattern(text, { anchored: false })
  if (pattern.kind === 'refused') throw cursor.unexpected('a regular expression', { offset, found: pattern.problem })
  return operator === '|~' ? pattern.matches : (line) => !pattern.matches(line)
}

function unknownStage(cursor: QueryCursor): Error {
  const stage = cursor.peek(/\|\s*[A-Za-z_][A-Za-z0-9_]*/)
  if (stage !== undefined) return logqlUnsupported(`the pipeline stage ${stage}`)
  if (cursor.peek(/\[/) !== undefined) return logqlUnsupported('a range of log lines')
  return cursor.unexpected('a line filter such as |= "timeout", or the end of the query')
}
