import { ToolError } from '@fairlead/runtime'
import { errorOfStatus, notThisApi, type QueriedSystem } from './error-of-status.ts'
import { readLimitedText } from './read-limited-text.ts'
import { requestTarget } from './request-target.ts'

const defaultTimeoutMs = 10_000
// A diagnosis asks for a dozen answers at once, and each takes some times its size while it is read.
const largestBody = 5_000_000

/** One request to a metrics or log system. `system` is its name in error texts. */
export type JsonRequest = {
  readonly system: QueriedSystem
  readonly baseUrl: () => Promise<string>
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
}

/**
 * GETs JSON. Throws `ToolError`: the query language's own code, `BAD_DATA` with the lab's own words when the file behind
 * the system is broken, `PERMISSION_DENIED`, `RESULT_TOO_LARGE` (also for a body over 5 MB), `UNAVAILABLE` when what answers is
 * not this API, retryable when it cannot be reached or is failing, `TIMEOUT` (retryable) after `timeoutMs`. An abort of `signal` rejects with the signal's reason;
 * what `baseUrl` throws passes through.
 */
export async function fetchJson(request: JsonRequest): Promise<unknown> {
  const { url, headers } = requestTarget(await request.baseUrl(), request.path, request.query)
  const deadline = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs)
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.any([request.signal, deadline]) })
    const body = await readLimitedText(response, largestBody)
    if (body === undefined) throw bodyTooLarge(request.system)
    if (!response.ok) throw errorOfStatus(request.system, response.status, body)
    return parseBody(request.system, body)
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

function parseBody(system: QueriedSystem, body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw notThisApi(system)
  }
}

function bodyTooLarge(system: QueriedSystem): ToolError {
  return new ToolError(
    'RESULT_TOO_LARGE',
    `${system} answered with more than ${largestBody} bytes. Ask for a shorter range, a coarser step or a narrower filter.`,
  )
}
