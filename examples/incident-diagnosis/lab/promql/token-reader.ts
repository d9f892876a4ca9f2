import { syntaxError } from './promql-error.ts'
import type { PromqlError } from './promql-error.ts'
import { tokenize } from './tokenize.ts'
import type { Token } from './tokenize.ts'

/** Walks over the tokens of one query; the position only moves forward. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(query: string) {
    this.#tokens = tokenize(query)
  }

  /** The token `ahead` places further on without taking it; behind the last one, the last one. */
  peek(ahead = 0): Token {
    const token = this.#tokens[this.#position + ahead] ?? this.#tokens.at(-1)
    return token ?? { kind: 'end', offset: 0, text: '' }
  }

  /** Takes the next token. */
  take(): Token {
    const token = this.peek()
    this.#position += 1
    return token
  }

  /** Whether the next token is this symbol. */
  isSymbol(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'symbol' && token.text === text
  }

  /** Takes the next token when it is this symbol, and says whether it was. */
  takeSymbol(text: string): boolean {
    const present = this.isSymbol(text)
    if (present) this.take()
    return present
  }

  /** Takes this symbol or throws a syntax error that names what was expected. */
  requireSymbol(text: string, expected = `"${text}"`): void {
    if (!this.takeSymbol(text)) throw this.unexpected(expected)
  }

  /** The next token's word in lower case, or undefined when it is no word. */
  keyword(ahead = 0): string | undefined {
    const token = this.peek(ahead)
    return token.kind === 'word' ? token.text.toLowerCase() : undefined
  }

  /** The syntax error that something else was expected where the next token (or the given place) is. */
  unexpected(expected: string): PromqlError {
    const token = this.peek()
    const found =
      token.kind === 'end' ? 'the end of the query' : token.kind === 'string' ? token.text : `"${token.text}"`
    return this.problem(token.offset, expected, found)
  }

  /** A syntax error at a place of the query. */
  problem(offset: number, expected: string, found: string): PromqlError {
    return syntaxError({ offset, expected, found })
  }
}
