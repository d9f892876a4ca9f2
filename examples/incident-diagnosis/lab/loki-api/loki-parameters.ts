import { parseDuration } from '../promql/duration.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'
import { parseRfc3339 } from '../text/parse-rfc3339.ts'

/** A request whose parameters Loki refuses. */
export class LokiParameterError extends Error {
  override readonly name = 'LokiParameterError'
  readonly code = 'LOKI_PARAMETER_INVALID'
}

/**
 * Reads a time parameter as exact nanoseconds since 1970, or gives undefined when it is absent.
 *
 * Accepts nanoseconds, seconds (at most ten digits, as Loki tells them apart), seconds with a fraction, and RFC 3339; anything else
 * throws a LokiParameterError.
 */
export function nanosecondsParameter(parameters: URLSearchParams, name: string): bigint | undefined {
  const text = parameters.get(name) ?? ''
  if (text === '') return undefined
  if (/^-?\d+$/.test(text)) return text.length <= 10 ? BigInt(text) * 1_000_000_000n : BigInt(text)
  const seconds = text.includes('.') ? parseGoFloat(text) : undefined
  if (seconds !== undefined && Number.isFinite(seconds)) {
    const whole = Math.trunc(seconds)
    return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1000)) * 1_000_000n
  }
  const instant = parseRfc3339(text)
  if (instant !== undefined) return instant
  throw new LokiParameterError(
    `expected ${name} as nanoseconds, seconds or an RFC 3339 time, found ${JSON.stringify(text)}`,
  )
}

/** Reads the line limit: 100 unless given, at most 5,000, as Loki is set up by default. */
export function limitParameter(parameters: URLSearchParams): number {
  const text = parameters.get('limit') ?? ''
  if (text === '') return 100
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit <= 0) throw new LokiParameterError('limit must be a positive value')
  if (limit > 5000) {
    throw new LokiParameterError(
      `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > 5000)`,
    )
  }
  return limit
}

/**
 * Reads the step of a metric query (seconds, or a duration such as 1m) as nanoseconds; without one a 250th of the range, at least a
 * second, as Loki takes it.
 */
export function stepParameter(parameters: URLSearchParams, range: bigint): bigint {
  const text = parameters.get('step') ?? ''
  if (text === '') {
    const seconds = range / 250n / 1_000_000_000n
    return (seconds < 1n ? 1n : seconds) * 1_000_000_000n
  }
  const seconds = parseGoFloat(text)
  const milliseconds = Math.trunc(seconds === undefined ? (parseDuration(text) ?? NaN) : seconds * 1000)
  if (!Number.isSafeInteger(milliseconds)) {
    throw new LokiParameterError(`expected step as seconds or a duration such as 1m, found ${JSON.stringify(text)}`)
  }
  if (milliseconds <= 0) {
    throw new LokiParameterError(
      'zero or negative query resolution step widths are not accepted. Try a positive integer',
    )
  }
  return BigInt(milliseconds) * 1_000_000n
}

/** Which end of the time range the lines come from first. */
export type Direction = 'forward' | 'backward'

/** Reads the direction: backward unless given. */
export function directionParameter(parameters: URLSearchParams): Direction {
  const text = (parameters.get('direction') ?? '').toLowerCase()
  if (text === '' || text === 'backward') return 'backward'
  if (text === 'forward') return 'forward'
  throw new LokiParameterError(`expected direction forward or backward, found ${JSON.stringify(text)}`)
}
