import { z } from 'zod'

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Whether a text is on one line and holds no control character and nothing invisible. */
export function isPlainLine(text: string): boolean {
  return !hidden.test(text)
}

/** An id or a name of a data file: text on one line. Free text has no such rule; who shows it keeps it on one line. */
export const nameField: z.ZodType<string> = z
  .string()
  .refine(isPlainLine, 'text on one line, without control or invisible characters')
