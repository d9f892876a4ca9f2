import { makeLabelMatcher } from '../metrics/label-matcher.ts'
import type { LabelMatcher, MatchOperator } from '../metrics/label-matcher.ts'
import { parseDuration } from '../promql/duration.ts'
import type { CountQuery, Grouping, LogQuery, Stage } from './log-query.ts'
import { logqlUnsupported } from './logql-error.ts'
import { parseStage } from './parse-stage.ts'
import { QueryCursor } from './query-cursor.ts'

const maximumLength = 10_000
const metricWord = new RegExp(
  '(?:rate|rate_counter|bytes_rate|bytes_over_time|absent_over_time|[a-z]+_over_time|sum|avg|min|max|count|' +
    'stddev|stdvar|topk|bottomk|sort|sort_desc|approx_topk|label_replace|vector)(?![A-Za-z0-9_])',
)
const countWord = /count_over_time(?![A-Za-z0-9_])/
const sumWord = /sum(?![A-Za-z0-9_])/
const matchOperators: readonly MatchOperator[] = ['=', '!=', '=~', '!~']

/** Parses a log query or a count of one; throws a LogqlError for anything else. */
export function parseLogql(query: string): LogQuery | CountQuery {
  const cursor = new QueryCursor(query)
  if (query.length > maximumLength) {
    throw cursor.unexpected(`a query of at most ${maximumLength} characters`, {
      offset: maximumLength,
      found: `${query.length} characters`,
    })
  }
  const parsed = parseAny(cursor)
  if (cursor.peek(/[-+*/%^<>=]|(?:and|or|unless)\b/) !== undefined) {
    throw logqlUnsupported('an operator between metric queries')
  }
  if (!cursor.atEnd) throw cursor.unexpected('the end of the query')
  return parsed
}

/** Parses a log query; a metric query throws a LogqlError. */
export function parseLogSelector(query: string): LogQuery {
  const parsed = parseLogql(query)
  if (parsed.kind !== 'log-query') throw logqlUnsupported('a metric query here')
  return parsed
}

function parseAny(cursor: QueryCursor): LogQuery | CountQuery {
  if (cursor.take(sumWord) !== undefined) return parseSum(cursor)
  if (cursor.peek(countWord) !== undefined) return parseCount(cursor)
  const word = cursor.peek(metricWord)
  if (word !== undefined) throw logqlUnsupported(`the metric query ${word}`)
  const parsed = parseLogs(cursor, 'whole')
  if (cursor.peek(/\[/) !== undefined) throw logqlUnsupported('a range of log lines outside count_over_time')
  return parsed
}

function parseSum(cursor: QueryCursor): CountQuery {
  const before = parseGrouping(cursor)
  if (cursor.take(/\(/) === undefined) throw cursor.unexpected('"(", by or without')
  const word = cursor.peek(countWord) === undefined ? cursor.peek(metricWord) : undefined
  if (word !== undefined) throw logqlUnsupported(`sum of ${word}`)
  if (cursor.peek(countWord) === undefined) throw cursor.unexpected('count_over_time')
  const count = parseCount(cursor)
  if (cursor.peek(/[-+*/%^<>=]/) !== undefined) throw logqlUnsupported('an operator between metric queries')
  if (cursor.take(/\)/) === undefined) throw cursor.unexpected('")"')
  return { ...count, sumBy: before ?? parseGrouping(cursor) ?? { kind: 'by', labels: [] } }
}

function parseCount(cursor: QueryCursor): CountQuery {
  cursor.take(countWord)
  if (cursor.take(/\(/) === undefined) throw cursor.unexpected('"("')
  const logs = parseLogs(cursor, 'in-range')
  if (cursor.take(/\[/) === undefined) throw cursor.unexpected('a range such as [5m]')
  const { offset } = cursor
  const text = cursor.take(/[0-9a-z.]+/) ?? ''
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || milliseconds <= 0) {
    throw cursor.unexpected('a duration above 0 such as 5m', { offset, found: JSON.stringify(text) })
  }
  if (cursor.take(/\]/) === undefined) throw cursor.unexpected('"]"')
  if (cursor.peek(/offset(?![A-Za-z0-9_])/) !== undefined) throw logqlUnsupported('the offset modifier')
  if (cursor.peek(/\||!/) !== undefined) throw logqlUnsupported('a pipeline behind the range (write it before)')
  if (cursor.take(/\)/) === undefined) throw cursor.unexpected('")"')
  return { kind: 'count-query', logs, range: BigInt(milliseconds) * 1_000_000n, sumBy: undefined }
}

function parseGrouping(cursor: QueryCursor): Grouping | undefined {
  const word = cursor.take(/(?:by|without)(?![A-Za-z0-9_])/)
  if (word === undefined) return undefined
  if (cursor.take(/\(/) === undefined) throw cursor.unexpected('"("')
  const labels: string[] = []
  while (cursor.take(/\)/) === undefined) {
    const label = cursor.take(/[A-Za-z_][A-Za-z0-9_]*/)
    if (label === undefined) throw cursor.unexpected('a label name or ")"')
    labels.push(label)
    if (cursor.take(/,/) === undefined && cursor.peek(/\)/) === undefined) throw cursor.unexpected('"," or ")"')
  }
  return { kind: word === 'by' ? 'by' : 'without', labels }
}

/** A range ends the pipeline of a count; a log query goes on to its end. */
function parseLogs(cursor: QueryCursor, extent: 'whole' | 'in-range'): LogQuery {
  const matchers = parseSelector(cursor)
  const stages: Stage[] = []
  while (!cursor.atEnd && cursor.peek(/\[/) === undefined) {
    if (extent === 'in-range' && cursor.peek(/\)/) !== undefined) throw cursor.unexpected('a range such as [5m]')
    stages.push(parseStage(cursor))
  }
  return { kind: 'log-query', matchers, stages }
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
