import { ToolError } from '@fairlead/runtime'

const brokenSource = /\b(?:METRICS|LOGS)_[A-Z_]+: [^\n]+/
const ownCode = /\b((?:PROMQL|LOGQL)_(?:UNSUPPORTED|SYNTAX_ERROR)): ?([\s\S]*)$/
const tooLarge =
  /too many samples|maximum resolution|max(?:imum)? (?:of series|number of series|query length|entries limit)|too many (?:bytes|outstanding)|would read too many/i

/** A metrics or log system as error texts name it. */
export type QueriedSystem = 'Prometheus' | 'Loki'

/** The error for an answer that is no success, from its status and the words of its body. */
export function errorOfStatus(name: QueriedSystem, status: number, body: string): ToolError {
  if (status === 401 || status === 403) {
    return new ToolError(
      'PERMISSION_DENIED',
      `${name} refused access (HTTP status ${status}). Whoever runs this agent must check the credentials; do not repeat the call.`,
    )
  }
  const { words, errorType } = readBody(body)
  const own = ownCode.exec(words)
  if (own?.[1] !== undefined) return new ToolError(own[1], clip(own[2] ?? ''))
  // A proxy's page for a failing server is HTML too.
  if (status === 404 || (status < 500 && isHtml(body))) return notThisApi(name)
  if (errorType === 'timeout' || status === 504 || words.startsWith('query timed out')) {
    return new ToolError('TIMEOUT', `${name} did not finish the query in time. Ask for a shorter range.`, {
      retryable: true,
    })
  }
  const broken = status >= 500 ? brokenSource.exec(words) : null
  if (broken !== null) {
    return new ToolError('BAD_DATA', `${clip(broken[0])}.\nGo on without this source and name it as a gap.`)
  }
  if (tooLarge.test(words)) {
    return new ToolError(
      'RESULT_TOO_LARGE',
      `${name} refused the query for its size: ${clip(words)}. Ask for a shorter range, a coarser step or a narrower filter.`,
    )
  }
  if (status >= 500 || status === 429) {
    return new ToolError('UNAVAILABLE', `${name} answered with HTTP status ${status}. Try again later.`, {
      retryable: true,
    })
  }
  if (/parse error/i.test(words)) {
    return new ToolError(name === 'Prometheus' ? 'PROMQL_SYNTAX_ERROR' : 'LOGQL_SYNTAX_ERROR', clip(words))
  }
  return new ToolError('INVALID_ARGUMENT', `${name} refused the query: ${clip(words)}`)
}

/** The error for an answer in a form that the API asked for does not have, such as a login page. */
export function notThisApi(name: QueriedSystem): ToolError {
  return new ToolError(
    'UNAVAILABLE',
    `What answered is no ${name} API. Whoever runs this agent must check its URL; go on without this source and name it as a gap.`,
  )
}

function readBody(body: string): { readonly words: string; readonly errorType?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null) {
      const errorType = 'errorType' in parsed ? parsed.errorType : undefined
      if ('error' in parsed && typeof parsed.error === 'string') return { words: parsed.error, errorType }
      if ('message' in parsed && typeof parsed.message === 'string') return { words: parsed.message, errorType }
    }
  } catch {
    return { words: body }
  }
  return { words: body }
}

function isHtml(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(body)
}

function clip(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
