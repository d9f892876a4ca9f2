import { ModelCallError } from '../core/index.ts'

/** Kinds that providers give to faults of theirs that pass. */
const passing =
  /overloaded|rate_?limit|too_many_requests|resource_exhausted|server_error|api_error|internal|timeout|unavailable/i

/**
 * What a provider put into its stream in place of the rest of a turn, as an error to throw. Errors stay as they are,
 * with their status and headers; anything else gives its message, and may be asked again if its type or code is that
 * of a passing fault.
 */
export function readStreamError(found: unknown): Error {
  if (found instanceof Error) return found
  if (typeof found === 'string') return new ModelCallError(found, { retryable: false })
  const fields: { readonly [key: string]: unknown } = typeof found === 'object' && found !== null ? { ...found } : {}
  const inner = fields['error']
  if (typeof inner === 'object' && inner !== null) return readStreamError(inner)
  const { message, type, code, status } = fields
  const kinds = [type, code, status].filter((kind) => typeof kind === 'string')
  const text = typeof message === 'string' && message !== '' ? message : kinds.join(' ')
  const statusCode = [code, status].find((kind) => typeof kind === 'number')
  const retryable =
    kinds.some((kind) => passing.test(kind)) || (statusCode !== undefined && (statusCode === 429 || statusCode >= 500))
  return new ModelCallError(text === '' ? 'The provider reported an error without a text.' : text, {
    retryable,
    cause: found,
  })
}
