import { readQuotedString } from '../text/read-quoted-string.ts'
import { logqlSyntaxError } from './logql-error.ts'
import type { LogqlError } from './logql-error.ts'

/** Walks over the text of one log query; the position only moves forward, and spaces and comments are skipped. */
export class QueryCursor {
  readonly #query: string
  #offset = 0

  constructor(query: string) {
    this.#query = query
    this.#skipSpace()
  }

  /** Where the next element begins. */
  get offset(): number {
    return this.#offset
  }

  /** Whether nothing is left. */
  get atEnd(): boolean {
    return this.#offset >= this.#query.length
  }

  /** What the sticky pattern matches here, without taking it. */
  peek(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern.source, 'y')
    sticky.lastIndex = this.#offset
    return sticky.exec(this.#query)?.[0]
  }

  /** Takes what the pattern matches here. */
  take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern)
    if (found !== undefined) this.#advance(found.length)
    return found
  }

  /** Takes a string literal, or throws a LogqlError that says what was expected. */
  takeString(expected: string): string {
    if (this.peek(/["`]/) === undefined) throw this.unexpected(expected)
    const string = readQuotedString(this.#query, this.#offset)
    if (string.kind === 'malformed') {
      throw logqlSyntaxError(this.#query, { offset: string.offset, expected, found: string.problem })
    }
    this.#advance(string.end - this.#offset)
    return string.value
  }

  /** The syntax error that something else was expected here, or at the offset given. */
  unexpected(expected: string, place?: { readonly offset: number; readonly found: string }): LogqlError {
    return logqlSyntaxError(this.#query, { offset: this.#offset, expected, ...place })
  }

  #advance(length: number): void {
    this.#offset += length
    this.#skipSpace()
  }

  #skipSpace(): void {
    const space = /(?:[ \t\r\n]+|#[^\n]*)*/y
    space.lastIndex = this.#offset
    this.#offset += space.exec(this.#query)?.[0].length ?? 0
  }
}
