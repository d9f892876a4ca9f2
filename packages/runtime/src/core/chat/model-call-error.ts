/**
 * How a chat client says why a turn failed, so that the loop can judge whether to ask again. Clients may throw anything
 * else: errors that carry `statusCode` or `status`, `responseHeaders` or `headers`, or a network `code` are understood too.
 */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError'
  readonly retryable: boolean
  /** Milliseconds the provider asked to wait, or `null`. */
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    options: { readonly retryable: boolean; readonly retryAfterMs?: number | null; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

/** Two retries; longest wait a provider may ask for. (Source: design, "Provider models".) */
export const modelRetries = { count: 2, longestWaitMs: 60_000, firstWaitMs: 500 } as const

/**
 * Milliseconds to wait before asking again after `retries` repetitions, or `null` when asking again is no use: not a
 * 429, 5xx or network fault, retries spent, or a wait beyond 60 seconds.
 */
export function retryDelayMs(error: unknown, retries: number, now: number): number | null {
  if (retries >= modelRetries.count) return null
  if (!isRetryable(error)) return null
  const asked = retryAfterMs(error, now)
  if (asked === null) return modelRetries.firstWaitMs * 2 ** retries
  return asked <= modelRetries.longestWaitMs ? asked : null
}

const networkCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'ENOTFOUND',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])

function isRetryable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  if (error instanceof ModelCallError) return error.retryable
  const status = statusOf(error)
  if (status !== null) return status === 429 || status >= 500
  if ('isRetryable' in error && error.isRetryable === true) return true
  if ('code' in error && typeof error.code === 'string' && networkCodes.has(error.code)) return true
  return 'cause' in error && error.cause !== error && isRetryable(error.cause)
}

function statusOf(error: object): number | null {
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode
  if ('status' in error && typeof error.status === 'number') return error.status
  return null
}

function retryAfterMs(error: unknown, now: number): number | null {
  if (error instanceof ModelCallError) return error.retryAfterMs
  if (typeof error !== 'object' || error === null) return null
  const headers = 'responseHeaders' in error ? error.responseHeaders : 'headers' in error ? error.headers : null
  const milliseconds = Number(headerOf(headers, 'retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds
  const text = headerOf(headers, 'retry-after')
  if (text === null) return null
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function headerOf(headers: unknown, name: string): string | null {
  if (typeof headers !== 'object' || headers === null) return null
  if ('get' in headers && typeof headers.get === 'function') {
    const found: unknown = (headers.get as (name: string) => unknown)(name)
    return typeof found === 'string' ? found : null
  }
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && typeof value === 'string') return value
  }
  return null
}
