/**
 * Thrown by middleware that is not marked as a guard but must fail like one: what it wraps does not happen, or its
 * result is withheld. The message is for the host; the model never sees it.
 */
export class GuardFailure extends Error {
  override readonly name = 'GuardFailure'
}
