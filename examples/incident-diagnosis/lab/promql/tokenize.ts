import { readQuotedString } from '../text/read-quoted-string.ts'
import { syntaxError } from './promql-error.ts'

/** A lexical element of a query; `text` is as written, `value` is a string literal's decoded text. */
export type Token =
  | { readonly kind: 'number' | 'duration' | 'word' | 'symbol'; readonly offset: number; readonly text: string }
  | { readonly kind: 'string'; readonly offset: number; readonly text: string; readonly value: string }
  | { readonly kind: 'end'; readonly offset: number; readonly text: '' }

const space = /[ \t\r\n]+|#[^\n]*/y
const duration = /(?:\d+(?:ms|[smhdwy]))+(?![A-Za-z0-9_])/y
const number = /(?:0[xX][0-9a-fA-F]+|(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![A-Za-z0-9_.])/y
const word = /[A-Za-z_:][A-Za-z0-9_:]*/y
const wordInBrackets = /[A-Za-z_][A-Za-z0-9_]*/y
const symbol = /==|!=|=~|!~|<=|>=|<\/|>\/|[-+*/%^<>=(){}[\],@:]/y

/** Splits a query into tokens, the last of which is `end`; text that is no token throws a PromqlError with its position. */
export function tokenize(query: string): readonly Token[] {
  const tokens: Token[] = []
  let offset = 0
  let inBrackets = false
  while (offset < query.length) {
    const skipped = match(space, query, offset)
    if (skipped !== undefined) {
      offset += skipped.length
      continue
    }
    const token = readToken(query, offset, inBrackets)
    tokens.push(token)
    offset += token.text.length
    if (token.text === '[') inBrackets = true
    if (token.text === ']') inBrackets = false
  }
  return [...tokens, { kind: 'end', offset: query.length, text: '' }]
}

function readToken(query: string, offset: number, inBrackets: boolean): Token {
  const character = query[offset] ?? ''
  if (character === '"' || character === "'" || character === '`') {
    const string = readQuotedString(query, offset)
    if (string.kind === 'malformed') {
      throw syntaxError({ offset: string.offset, expected: 'a string literal', found: string.problem })
    }
    return { kind: 'string', offset, text: query.slice(offset, string.end), value: string.value }
  }
  if (/[0-9]/.test(character) || /^\.[0-9]/.test(query.slice(offset, offset + 2))) {
    const asDuration = match(duration, query, offset)
    if (asDuration !== undefined) return { kind: 'duration', offset, text: asDuration }
    const asNumber = match(number, query, offset)
    if (asNumber !== undefined) return { kind: 'number', offset, text: asNumber }
    const found = JSON.stringify(/[A-Za-z0-9_.]+/.exec(query.slice(offset))?.[0])
    throw syntaxError({ offset, expected: 'a number such as 0.95 or a duration such as 5m', found })
  }
  const asWord = match(inBrackets ? wordInBrackets : word, query, offset)
  if (asWord !== undefined) return { kind: 'word', offset, text: asWord }
  const asSymbol = match(symbol, query, offset)
  if (asSymbol !== undefined) return { kind: 'symbol', offset, text: asSymbol }
  throw syntaxError({ offset, expected: 'an expression', found: `the character ${JSON.stringify(character)}` })
}

function match(expression: RegExp, query: string, offset: number): string | undefined {
  expression.lastIndex = offset
  return expression.exec(query)?.[0]
}
