import { makeLabelMatcher } from '../metrics/label-matcher.ts'
import type { LabelMatcher, MatchOperator } from '../metrics/label-matcher.ts'
import { metricNameLabel } from '../metrics/labels.ts'
import type { Expression, VectorSelector } from './ast.ts'
import { parseDuration } from './duration.ts'
import { parseNumberLiteral } from './number-literal.ts'
import { unsupported } from './supported-language.ts'
import type { TokenReader } from './token-reader.ts'
import type { Token } from './tokenize.ts'

const operators: readonly MatchOperator[] = ['=', '!=', '=~', '!~']

/** Parses `name{matchers}`, a name alone or matchers alone; at least one matcher must refuse the empty text, as in Prometheus. */
export function parseVectorSelector(reader: TokenReader): VectorSelector {
  const { offset } = reader.peek()
  const named: LabelMatcher[] = []
  if (reader.peek().kind === 'word') named.push(matcher(reader, [metricNameLabel, '=', reader.take().text]))
  const matchers = reader.takeSymbol('{') ? parseMatchers(reader) : []
  if (named.length > 0 && matchers.some(({ name }) => name === metricNameLabel)) {
    throw reader.problem(offset, 'the metric name once', 'it before and inside the braces')
  }
  const all = [...matchers, ...named]
  if (!all.some(({ matches }) => !matches(''))) {
    throw reader.problem(offset, 'at least one matcher that does not match the empty text', 'none')
  }
  return { kind: 'vector-selector', offset, matchers: all, shift: 0 }
}

/** Parses what may follow an expression: a range and an offset; @ and subqueries are not supported. */
export function parseSelectorSuffix(reader: TokenReader, operand: Expression): Expression {
  const keyword = reader.keyword()
  if (keyword === 'offset') return parseSelectorSuffix(reader, parseOffset(reader, operand))
  if (keyword === 'anchored' || keyword === 'smoothed') throw unsupported(`the ${keyword} modifier`)
  if (reader.isSymbol('@')) throw unsupported('the @ modifier')
  if (!reader.isSymbol('[')) return operand
  const bracket = reader.take()
  const range = parseRange(reader)
  if (reader.isSymbol(':')) throw unsupported('a subquery')
  if (!reader.isSymbol(']') && /^[-+*/%^(]$/.test(reader.peek().text)) throw unsupported('arithmetic in a range')
  reader.requireSymbol(']')
  if (operand.kind !== 'vector-selector') {
    throw reader.problem(bracket.offset, 'a range only behind a vector selector', 'it behind another expression')
  }
  if (operand.shift !== 0) throw reader.problem(bracket.offset, 'the range before the offset', 'it behind the offset')
  const selected: Expression = { kind: 'range-selector', offset: operand.offset, selector: operand, range }
  return parseSelectorSuffix(reader, selected)
}

function parseRange(reader: TokenReader): number {
  const token = reader.peek()
  if (/^[-+(]$/.test(token.text) || token.kind === 'word') throw unsupported('arithmetic in a range')
  const milliseconds = millisecondsOf(token)
  if (milliseconds === undefined || milliseconds <= 0) throw reader.unexpected('a duration above 0 such as 5m')
  reader.take()
  return milliseconds
}

function parseOffset(reader: TokenReader, operand: Expression): Expression {
  const { offset } = reader.take()
  const selector = operand.kind === 'range-selector' ? operand.selector : operand
  if (selector.kind !== 'vector-selector') {
    throw reader.problem(offset, 'an offset only behind a selector or its range', 'it behind another expression')
  }
  if (selector.shift !== 0) throw reader.problem(offset, 'one offset', 'a second one')
  const sign = reader.takeSymbol('-') ? -1 : 1
  if (sign === 1) reader.takeSymbol('+')
  const token = reader.peek()
  if (token.text === '(' || token.kind === 'word') throw unsupported('arithmetic in an offset')
  const milliseconds = millisecondsOf(token)
  if (milliseconds === undefined) throw reader.unexpected('a duration such as 5m')
  reader.take()
  const shifted: VectorSelector = { ...selector, shift: sign * milliseconds }
  return operand.kind === 'range-selector' ? { ...operand, selector: shifted } : shifted
}

function millisecondsOf(token: Token): number | undefined {
  if (token.kind === 'duration') return parseDuration(token.text)
  if (token.kind !== 'number') return undefined
  const milliseconds = Math.round(parseNumberLiteral(token.text) * 1000)
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined
}

function parseMatchers(reader: TokenReader): readonly LabelMatcher[] {
  const matchers: LabelMatcher[] = []
  while (!reader.takeSymbol('}')) {
    matchers.push(parseMatcher(reader))
    if (!reader.takeSymbol(',') && !reader.isSymbol('}')) throw reader.unexpected('"," or "}"')
  }
  return matchers
}

function parseMatcher(reader: TokenReader): LabelMatcher {
  const name = reader.peek()
  if (name.kind !== 'word' && name.kind !== 'string') throw reader.unexpected('a label name or "}"')
  if (name.kind === 'word' && name.text.includes(':')) throw reader.unexpected('a label name without ":"')
  reader.take()
  const nameText = name.kind === 'string' ? name.value : name.text
  const operator = operators.find((candidate) => reader.isSymbol(candidate))
  if (operator === undefined) {
    if (name.kind === 'string') return matcher(reader, [metricNameLabel, '=', nameText])
    throw reader.unexpected('one of = != =~ !~')
  }
  reader.take()
  const value = reader.peek()
  if (value.kind !== 'string') throw reader.unexpected('a text in quotes')
  const made = matcher(reader, [nameText, operator, value.value])
  reader.take()
  return made
}

function matcher(reader: TokenReader, [name, operator, value]: readonly [string, MatchOperator, string]): LabelMatcher {
  const made = makeLabelMatcher(name, operator, value)
  if (made.kind === 'refused') {
    throw reader.problem(reader.peek().offset, 'a regular expression', made.problem)
  }
  return made.matcher
}
