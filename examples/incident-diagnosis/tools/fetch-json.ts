import { ToolError } from '@fairlead/runtime'

const defaultTimeoutMs = 10_000
const brokenSource = /\b(?:METRICS|LOGS)_[A-Z_]+: [^\n]+/
const ownCode = /\b((?:PROMQL|LOGQL)_(?:UNSUPPORTED|SYNTAX_ERROR)): ?([\s\S]*)$/

/** One request to a metrics or log system. `system` is its name in error texts. */
export type JsonRequest = {
  readonly system: string
  readonly baseUrl: () => Promise<string>
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
}

/**
 * GETs JSON. Throws `ToolError`: the query language's own code, `BAD_DATA` with the lab's own words when the file behind
 * the system is broken, `UNAVAILABLE` (retryable) when the system cannot be
 * reached or is failing, `TIMEOUT` (retryable) after `timeoutMs`. An abort of `signal` rejects with the signal's reason;
 * what `baseUrl` throws passes through.
 */
export async function fetchJson(request: JsonRequest): Promise<unknown> {
  const url = new URL(request.path, await request.baseUrl())
  for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value)
  const deadline = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs)
  try {
    const response = await fetch(url, { signal: AbortSignal.any([request.signal, deadline]) })
    const body = await response.text()
    if (!response.ok) throw errorOfStatus(request.system, response.status, body)
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof ToolError) throw error
    request.signal.throwIfAborted()
    if (deadline.aborted) {
      throw new ToolError(
        'TIMEOUT',
        `${request.system} did not answer in time. Ask for a shorter range or try again.`,
        {
          retryable: true,
          cause: error,
        },
      )
    }
    throw new ToolError(
      'UNAVAILABLE',
      `${request.system} cannot be reached now. Try again later or go on without it.`,
      {
        retryable: true,
        cause: error,
      },
    )
  }
}

function errorOfStatus(system: string, status: number, body: string): ToolError {
  const words = errorWords(body)
  const match = ownCode.exec(words)
  if (match?.[1] !== undefined) return new ToolError(match[1], clip(match[2] ?? ''))
  const broken = status >= 500 ? brokenSource.exec(words) : null
  if (broken !== null)
    return new ToolError('BAD_DATA', `${clip(broken[0])}.\nGo on without this source and name it as a gap.`)
  if (status >= 500 || status === 429) {
    return new ToolError('UNAVAILABLE', `${system} answered with HTTP status ${status}. Try again later.`, {
      retryable: true,
    })
  }
  return new ToolError('INVALID_ARGUMENT', `${system} refused the query: ${clip(words)}`)
}

function errorWords(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null) {
      if ('error' in parsed && typeof parsed.error === 'string') return parsed.error
      if ('message' in parsed && typeof parsed.message === 'string') return parsed.message
    }
  } catch {
    return body
  }
  return body
}

function clip(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
