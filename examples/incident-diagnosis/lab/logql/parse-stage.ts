import { makeLabelMatcher } from '../metrics/label-matcher.ts'
import type { MatchOperator } from '../metrics/label-matcher.ts'
import { compilePattern } from '../text/compile-pattern.ts'
import { extractJson } from './extract-json.ts'
import { numberComparisons, numberFilter, textFilter } from './label-filter.ts'
import type { Stage } from './log-query.ts'
import { logqlUnsupported } from './logql-error.ts'
import type { QueryCursor } from './query-cursor.ts'

const matchOperators: readonly MatchOperator[] = ['=', '!=', '=~', '!~']
const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/
const otherStages =
  /\|\s*(?:logfmt|regexp|pattern|unpack|unwrap|line_format|label_format|decolorize|drop|keep|distinct)(?![A-Za-z0-9_])/

/** Parses one stage of a pipeline: a line filter, `| json` or a label filter. */
export function parseStage(cursor: QueryCursor): Stage {
  const patternFilter = cursor.peek(/\|>|!>/)
  if (patternFilter !== undefined) throw logqlUnsupported(`the pattern filter ${patternFilter}`)
  const operator = cursor.take(/\|=|!=|\|~|!~/)
  if (operator !== undefined) return parseLineFilter(cursor, operator)
  const other = cursor.peek(otherStages)
  if (other !== undefined) throw logqlUnsupported(`the pipeline stage ${other}`)
  if (cursor.take(/\|/) === undefined) {
    throw cursor.unexpected('a line filter such as |= "timeout", or the end of the query')
  }
  if (cursor.peek(/json(?![A-Za-z0-9_])\s*(?!\s|[=!<>~])/) !== undefined) return parseJson(cursor)
  return parseLabelFilter(cursor)
}

function parseLineFilter(cursor: QueryCursor, operator: string): Stage {
  if (cursor.peek(/ip\s*\(/) !== undefined) throw logqlUnsupported('the line filter ip()')
  const { offset } = cursor
  const text = cursor.takeString('a text in quotes or backticks')
  if (cursor.peek(/or(?![A-Za-z0-9_])/) !== undefined) throw logqlUnsupported('"or" in a line filter')
  if (operator === '|=') return (line, labels) => (line.includes(text) ? labels : undefined)
  if (operator === '!=') return (line, labels) => (line.includes(text) ? undefined : labels)
  const pattern = compilePattern(text, { anchored: false })
  if (pattern.kind === 'refused') throw cursor.unexpected('a regular expression', { offset, found: pattern.problem })
  const wanted = operator === '|~'
  return (line, labels) => (pattern.matches(line) === wanted ? labels : undefined)
}

function parseJson(cursor: QueryCursor): Stage {
  cursor.take(/json/)
  if (cursor.peek(/[A-Za-z_]/) !== undefined) throw logqlUnsupported('the pipeline stage | json with parameters')
  if (cursor.peek(/--/) !== undefined) throw logqlUnsupported('the pipeline stage | json with flags')
  return extractJson
}

function parseLabelFilter(cursor: QueryCursor): Stage {
  if (cursor.peek(/\(/) !== undefined) throw logqlUnsupported('a label filter in parentheses')
  const name = cursor.take(/[A-Za-z_][A-Za-z0-9_]*/)
  if (name === undefined) throw cursor.unexpected('json or a label filter such as level="error"')
  const stageWord = /^(?:json)?$/.test(name) ? undefined : name
  const symbol = cursor.take(/==|=~|!~|!=|>=|<=|=|>|</)
  if (symbol === undefined) {
    if (stageWord !== undefined && (cursor.atEnd || cursor.peek(/[|("`[]/) !== undefined)) {
      throw logqlUnsupported(`the pipeline stage | ${stageWord}`)
    }
    throw cursor.unexpected('one of = != =~ !~ == > >= < <=')
  }
  const filter = cursor.peek(/["`]/) === undefined ? numeric(cursor, name, symbol) : textual(cursor, name, symbol)
  const joined = cursor.peek(/(?:and|or)(?![A-Za-z0-9_])|,/)
  if (joined !== undefined) throw logqlUnsupported(`"${joined}" between label filters (chain them with |)`)
  return filter
}

function numeric(cursor: QueryCursor, name: string, symbol: string): Stage {
  if (cursor.peek(/ip\s*\(/) !== undefined) throw logqlUnsupported('the label filter ip()')
  const comparison = numberComparisons.find((candidate) => candidate === symbol)
  if (comparison === undefined || cursor.peek(number) === undefined) throw cursor.unexpected('a text in quotes')
  const { offset } = cursor
  const text = cursor.take(number)
  if (cursor.offset === offset + (text?.length ?? 0) && cursor.peek(/[A-Za-zµ]/) !== undefined) {
    throw logqlUnsupported('a duration or a size in a label filter')
  }
  return numberFilter(name, comparison, Number(text))
}

function textual(cursor: QueryCursor, name: string, symbol: string): Stage {
  const operator = matchOperators.find((candidate) => candidate === symbol)
  if (operator === undefined) throw cursor.unexpected(`a number behind ${symbol}`)
  const { offset } = cursor
  const made = makeLabelMatcher(name, operator, cursor.takeString('a text in quotes'))
  if (made.kind === 'refused') throw cursor.unexpected('a regular expression', { offset, found: made.problem })
  return textFilter(made.matcher)
}
