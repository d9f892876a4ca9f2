import { parseDuration } from '../promql/duration.ts'
import { parseGoFloat } from '../text/parse-go-float.ts'
import { parseRfc3339 } from '../text/parse-rfc3339.ts'
import { badParameter } from './api-error.ts'

/** Reads a time parameter (seconds since 1970, perhaps with a fraction, or RFC 3339) as whole milliseconds, or throws a BadParameterError. */
export function timeParameter(parameters: URLSearchParams, name: string): number {
  const text = parameters.get(name) ?? ''
  const time = parseTime(text)
  if (time === undefined) throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`)
  return time
}

/** Reads a time parameter that may be absent. */
export function optionalTimeParameter(parameters: URLSearchParams, name: string, absent: number): number {
  return (parameters.get(name) ?? '') === '' ? absent : timeParameter(parameters, name)
}

/** Reads a step parameter (seconds, or a duration such as 1m) as whole milliseconds above 0, or throws a BadParameterError. */
export function stepParameter(parameters: URLSearchParams): number {
  const text = parameters.get('step') ?? ''
  const seconds = parseGoFloat(text)
  const milliseconds = seconds === undefined ? parseDuration(text) : seconds * 1000
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) {
    throw badParameter('step', `cannot parse ${JSON.stringify(text)} to a valid duration`)
  }
  const whole = Math.trunc(milliseconds)
  if (whole <= 0) {
    const problem = 'zero or negative query resolution step widths are not accepted. Try a positive integer'
    throw badParameter('step', problem)
  }
  return whole
}

function parseTime(text: string): number | undefined {
  const seconds = parseGoFloat(text)
  if (seconds !== undefined) {
    if (!Number.isFinite(seconds)) return undefined
    const whole = Math.trunc(seconds)
    return whole * 1000 + Math.round((seconds - whole) * 1000)
  }
  const nanoseconds = parseRfc3339(text)
  return nanoseconds === undefined ? undefined : Number(nanoseconds / 1_000_000n)
}
