import { z } from 'zod'
import { formatTime, parseTime } from './utc-time.ts'

/** A time of a data file: RFC 3339 in any zone, read as UTC text. */
export const timeField: z.ZodType<string> = z.string().transform((text, context) => {
  const seconds = parseTime(text)
  if (seconds !== null) return formatTime(seconds)
  context.addIssue({ code: 'custom', message: 'a time in RFC 3339 form with a zone' })
  return z.NEVER
})
