import { ToolError } from '@fairlead/runtime'
import { z } from 'zod'
import { isPlainLine, parseTime } from '../sources/index.ts'

/**
 * A text on one line as an argument, of 1 to `most` characters without control or invisible ones: nothing in it can look
 * like a line of its own.
 */
export function lineArgument(most: number, description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(most)
    .regex(/^.+$/, 'must be on one line')
    .refine(isPlainLine, 'must be on one line, without control or invisible characters')
    .describe(description)
}

/** A name of a service as an argument. */
export function serviceArgument(description: string): z.ZodString {
  return lineArgument(200, description)
}

/** A time as an argument: RFC 3339 with a zone, announced to models as `date-time`. */
export function timeArgument(description: string): z.ZodString {
  return z
    .string()
    .refine(
      (text) => parseTime(text) !== null,
      'must be a time in RFC 3339 form with a zone, for example 2030-01-31T08:00:00Z',
    )
    .meta({ format: 'date-time', description })
}

/** A span of time in seconds since the epoch; `end` is after `start`. */
export type TimeRange = { readonly start: number; readonly end: number }

/** Reads two checked time arguments. Throws `INVALID_ARGUMENT` when the end is not after the start. */
export function readTimeRange(startTime: string, endTime: string): TimeRange {
  const start = parseTime(startTime)
  const end = parseTime(endTime)
  if (start === null || end === null || end <= start) {
    throw new ToolError('INVALID_ARGUMENT', `end_time must be after start_time; found ${startTime} to ${endTime}.`)
  }
  return { start, end }
}
