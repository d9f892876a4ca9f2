/** What `readQuotedString` found: the decoded value and the offset behind the closing quote, or where and why it is no string. */
export type QuotedString =
  | { readonly kind: 'read'; readonly value: string; readonly end: number }
  | { readonly kind: 'malformed'; readonly offset: number; readonly problem: string }

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['\\', 92],
])

interface NumericEscape {
  readonly digits: number
  readonly base: 8 | 16
  readonly skip: 0 | 1
}

const octalEscape: NumericEscape = { digits: 3, base: 8, skip: 0 }

const numericEscapes: ReadonlyMap<string, NumericEscape> = new Map<string, NumericEscape>([
  ['x', { digits: 2, base: 16, skip: 1 }],
  ['u', { digits: 4, base: 16, skip: 1 }],
  ['U', { digits: 8, base: 16, skip: 1 }],
  ['0', octalEscape],
  ['1', octalEscape],
  ['2', octalEscape],
  ['3', octalEscape],
])

/**
 * Reads a Go string literal, the form both query languages use: double or single quotes with escapes, or backticks without.
 *
 * `start` is the offset of the opening quote. `\x` and octal escapes are bytes, so that they can spell UTF-8.
 */
export function readQuotedString(text: string, start: number): QuotedString {
  const quote = text[start]
  if (quote === '`') {
    const close = text.indexOf('`', start + 1)
    if (close === -1) return { kind: 'malformed', offset: start, problem: 'a raw string without its closing backtick' }
    return { kind: 'read', value: text.slice(start + 1, close), end: close + 1 }
  }
  const parts: Buffer[] = []
  let offset = start + 1
  while (offset < text.length) {
    const character = text[offset]
    if (character === quote) return { kind: 'read', value: Buffer.concat(parts).toString('utf8'), end: offset + 1 }
    if (character === '\n') break
    if (character !== '\\') {
      const end = plainRunEnd(text, offset, quote)
      parts.push(Buffer.from(text.slice(offset, end), 'utf8'))
      offset = end
      continue
    }
    const escape = readEscape(text, offset + 1, quote)
    if (escape === undefined) {
      return { kind: 'malformed', offset, problem: `an unknown escape sequence ${text.slice(offset, offset + 2)}` }
    }
    parts.push(escape.bytes)
    offset = escape.end
  }
  return { kind: 'malformed', offset: start, problem: 'a string without its closing quote' }
}

function plainRunEnd(text: string, start: number, quote: string | undefined): number {
  let end = start
  while (end < text.length && text[end] !== quote && text[end] !== '\\' && text[end] !== '\n') end += 1
  return end
}

function readEscape(
  text: string,
  offset: number,
  quote: string | undefined,
): { readonly bytes: Buffer; readonly end: number } | undefined {
  const letter = text[offset]
  if (letter === undefined) return undefined
  if (letter === quote) return { bytes: Buffer.from(letter, 'utf8'), end: offset + 1 }
  const simple = simpleEscapes.get(letter)
  if (simple !== undefined) return { bytes: Buffer.from([simple]), end: offset + 1 }
  const numeric = numericEscapes.get(letter)
  if (numeric === undefined) return undefined
  const first = offset + numeric.skip
  const digits = text.slice(first, first + numeric.digits)
  const wellFormed = numeric.base === 8 ? /^[0-7]{3}$/ : /^[0-9a-fA-F]+$/
  if (digits.length !== numeric.digits || !wellFormed.test(digits)) return undefined
  const code = Number.parseInt(digits, numeric.base)
  const end = first + numeric.digits
  if (letter !== 'u' && letter !== 'U') return { bytes: Buffer.from([code]), end }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
  return { bytes: Buffer.from(String.fromCodePoint(code), 'utf8'), end }
}
