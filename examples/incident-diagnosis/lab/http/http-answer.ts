/** A finished answer to one request. */
export interface HttpAnswer {
  readonly status: number
  readonly contentType: 'application/json' | 'text/plain; charset=utf-8'
  readonly body: string
}

/** An answer whose body is JSON. */
export function jsonAnswer(status: number, value: unknown): HttpAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) }
}

/** An answer whose body is plain text, the form of Loki's errors. */
export function textAnswer(status: number, text: string): HttpAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: text }
}
