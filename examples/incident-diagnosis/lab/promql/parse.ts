import type { Expression, Grouping, VectorSelector } from './ast.ts'
import { checkDepth } from './check-depth.ts'
import { checkTypes } from './check-types.ts'
import { parseDuration } from './duration.ts'
import { parseNumberLiteral } from './number-literal.ts'
import { parseSelectorSuffix, parseVectorSelector } from './parse-selector.ts'
import { syntaxError } from './promql-error.ts'
import {
  isComparison,
  isSupportedAggregation,
  isSupportedFunction,
  isSupportedOperator,
  knownAggregations,
  knownFunctions,
  unsupported,
} from './supported-language.ts'
import type { BinaryOperator } from './supported-language.ts'
import { TokenReader } from './token-reader.ts'

/** Binding strength of each operator of PromQL; `^` alone binds to the right. A sign binds as `*` does. */
const precedences: ReadonlyMap<string, number> = new Map([
  ['or', 1],
  ...['and', 'unless'].map((operator) => [operator, 2] as const),
  ...['==', '!=', '<=', '<', '>=', '>', '</', '>/'].map((operator) => [operator, 3] as const),
  ...['+', '-'].map((operator) => [operator, 4] as const),
  ...['*', '/', '%', 'atan2'].map((operator) => [operator, 5] as const),
  ['^', 6],
])
const signPrecedence = 5
const binaryModifiers = ['on', 'ignoring', 'group_left', 'group_right', 'fill', 'fill_left', 'fill_right']
const maximumDepth = 200
const maximumLength = 10_000

/** Parses a query into a type-checked expression; throws a PromqlError for anything else. */
export function parsePromql(query: string): Expression {
  if (query.length > maximumLength) {
    const expected = `a query of at most ${maximumLength} characters`
    throw syntaxError({ offset: maximumLength, expected, found: `${query.length} characters` })
  }
  const reader = new TokenReader(query)
  const expression = parseOperand(reader, { above: 0, depth: 0 })
  if (reader.peek().kind !== 'end') throw reader.unexpected('an operator or the end of the query')
  // A chain such as a + b + c nests to the left without the parser nesting with it.
  checkDepth(expression)
  checkTypes(expression)
  return expression
}

/** Parses a series selector alone, the form of a `match[]` parameter. */
export function parseSeriesSelector(query: string): VectorSelector {
  const reader = new TokenReader(query)
  const selector = parseVectorSelector(reader)
  if (reader.peek().kind !== 'end') throw reader.unexpected('the end of the selector')
  return selector
}

interface Place {
  readonly above: number
  readonly depth: number
}

function parseOperand(reader: TokenReader, { above, depth }: Place): Expression {
  if (depth > maximumDepth) throw reader.unexpected(`at most ${maximumDepth} levels of nesting`)
  let left = parseSigned(reader, depth)
  for (;;) {
    const token = reader.peek()
    const operator = token.kind === 'symbol' ? token.text : (reader.keyword() ?? '')
    const precedence = precedences.get(operator)
    if (precedence === undefined || precedence <= above) return left
    if (!isSupportedOperator(operator)) throw unsupported(`the operator ${operator}`)
    reader.take()
    const returnsBool = takeBool(reader, operator)
    const modifier = reader.keyword()
    // Words such as `on` are metric names too, unless what follows shows a modifier.
    if (modifier !== undefined && binaryModifiers.includes(modifier) && reader.isSymbol('(', 1)) {
      throw unsupported(`the vector matching modifier ${modifier}`)
    }
    const right = parseOperand(reader, { above: operator === '^' ? precedence - 1 : precedence, depth: depth + 1 })
    left = { kind: 'binary', offset: left.offset, operator, returnsBool, left, right }
  }
}

function takeBool(reader: TokenReader, operator: BinaryOperator): boolean {
  if (reader.keyword() !== 'bool') return false
  if (!isComparison(operator)) throw reader.unexpected(`no bool behind ${operator}: it modifies comparisons only`)
  reader.take()
  return true
}

function parseSigned(reader: TokenReader, depth: number): Expression {
  const { offset } = reader.peek()
  const sign = reader.isSymbol('-') ? '-' : reader.isSymbol('+') ? '+' : undefined
  if (sign === undefined) return parseSelectorSuffix(reader, parsePrimary(reader, depth))
  reader.take()
  return { kind: 'sign', offset, sign, operand: parseOperand(reader, { above: signPrecedence, depth: depth + 1 }) }
}

function parsePrimary(reader: TokenReader, depth: number): Expression {
  const token = reader.peek()
  const { offset } = token
  if (token.kind === 'number') {
    reader.take()
    return { kind: 'number', offset, value: parseNumberLiteral(token.text) }
  }
  if (token.kind === 'duration') {
    const milliseconds = parseDuration(token.text)
    if (milliseconds === undefined) throw reader.unexpected('a duration whose units fall in size')
    reader.take()
    return { kind: 'number', offset, value: milliseconds / 1000 }
  }
  if (token.kind === 'string') {
    reader.take()
    return { kind: 'string', offset, value: token.value }
  }
  if (reader.takeSymbol('(')) {
    const inner = parseOperand(reader, { above: 0, depth: depth + 1 })
    reader.requireSymbol(')')
    return { kind: 'parentheses', offset, inner }
  }
  if (token.kind === 'word') return parseWord(reader, depth)
  if (reader.isSymbol('{')) return parseVectorSelector(reader)
  throw reader.unexpected('an expression')
}

function parseWord(reader: TokenReader, depth: number): Expression {
  const { offset, text } = reader.peek()
  const keyword = text.toLowerCase()
  if (keyword === 'inf' || keyword === 'nan') {
    reader.take()
    return { kind: 'number', offset, value: keyword === 'inf' ? Infinity : NaN }
  }
  const next = reader.keyword(1)
  const aggregates = isSupportedAggregation(keyword) || knownAggregations.has(keyword)
  if (aggregates && (reader.isSymbol('(', 1) || next === 'by' || next === 'without')) {
    return parseAggregation(reader, depth)
  }
  if (!reader.isSymbol('(', 1)) return parseVectorSelector(reader)
  if (knownFunctions.has(text)) throw unsupported(`the function ${text}`)
  if (!isSupportedFunction(text)) throw reader.unexpected('the name of a function')
  reader.take()
  return { kind: 'call', offset, name: text, arguments: parseArguments(reader, depth) }
}

function parseAggregation(reader: TokenReader, depth: number): Expression {
  const { offset } = reader.peek()
  const operator = reader.keyword() ?? ''
  if (!isSupportedAggregation(operator)) throw unsupported(`the aggregation ${operator}`)
  reader.take()
  const before = parseGrouping(reader)
  const operands = parseArguments(reader, depth)
  const grouping = before ?? parseGrouping(reader) ?? { kind: 'by', labels: [] }
  const selects = operator === 'topk' || operator === 'bottomk'
  const [operand, parameter] = operands.toReversed()
  if (operand === undefined || operands.length !== (selects ? 2 : 1)) {
    const expected = selects ? `a number and a vector as arguments of ${operator}` : `one argument for ${operator}`
    throw reader.problem(offset, expected, `${operands.length} arguments`)
  }
  const aggregation: Expression = { kind: 'aggregation', offset, operator, grouping, operand }
  return parameter === undefined ? aggregation : { ...aggregation, parameter }
}

function parseGrouping(reader: TokenReader): Grouping | undefined {
  const kind = reader.keyword()
  if (kind !== 'by' && kind !== 'without') return undefined
  reader.take()
  reader.requireSymbol('(')
  const labels: string[] = []
  while (!reader.takeSymbol(')')) {
    const label = reader.peek()
    if (label.kind !== 'word' && label.kind !== 'string') throw reader.unexpected('a label name or ")"')
    reader.take()
    labels.push(label.kind === 'string' ? label.value : label.text)
    if (!reader.takeSymbol(',') && !reader.isSymbol(')')) throw reader.unexpected('"," or ")"')
  }
  return { kind, labels }
}

function parseArguments(reader: TokenReader, depth: number): readonly Expression[] {
  reader.requireSymbol('(')
  if (reader.takeSymbol(')')) return []
  const found: Expression[] = []
  do found.push(parseOperand(reader, { above: 0, depth: depth + 1 }))
  while (reader.takeSymbol(','))
  reader.requireSymbol(')', '"," or ")"')
  return found
}
