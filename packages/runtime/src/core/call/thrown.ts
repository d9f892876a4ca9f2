import { cleanText } from './safe-error-text.ts'

/**
 * What other code threw, as an error whose message can be read. Anything may be thrown: no error at all, one whose
 * message is no text, one that throws when it is looked at; none of it may stop whoever has to go on.
 */
export function thrownError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string') return thrown
  } catch {
    // Looking at it threw.
  }
  return new Error(notAnError)
}

const notAnError = 'something was thrown that is not an error'

/** The same in one line for the host: at most 500 characters, never a stack. */
export function thrownText(thrown: unknown): string {
  try {
    return cleanText(thrownError(thrown).message)
  } catch {
    // A getter may answer once and throw the next time.
    return notAnError
  }
}
