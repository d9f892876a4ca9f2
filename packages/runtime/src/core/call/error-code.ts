/** A code of the fixed core. */
export type CoreErrorCode =
  | 'INVALID_ARGUMENT'
  | 'UNKNOWN_TOOL'
  | 'PERMISSION_DENIED'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_EXPIRED'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'CIRCUIT_OPEN'
  | 'OVERLOADED'
  | 'RESULT_TOO_LARGE'
  | 'SANDBOX_VIOLATION'
  | 'POLICY_ERROR'
  | 'IN_DOUBT'
  | 'BUDGET_EXCEEDED'
  | 'DRY_RUN_UNSUPPORTED'
  | 'INVALID_OUTPUT'
  | 'RESULT_WITHHELD'
  | 'CANCELLED'
  | 'INTERNAL'

/**
 * The fixed core of result codes; tools add their own (an open set). Each has one safe sentence that tells the model
 * what it can do next. Nothing of an exception, a path or a secret is ever part of it.
 */
export const errorSentences: { readonly [Code in CoreErrorCode]: string } = {
  INVALID_ARGUMENT: 'The arguments do not fit the tool. Correct them as described and call again.',
  UNKNOWN_TOOL: 'There is no tool of this name. Use one of the tools you were given.',
  PERMISSION_DENIED: 'This call is not allowed here. Do not repeat it; go on without it or say what is missing.',
  APPROVAL_DENIED: 'A person refused this call. Do not repeat it; offer advice or another way instead.',
  APPROVAL_EXPIRED:
    'Nobody answered in time, so the call did not run. Say so, or propose it again if it still matters.',
  RATE_LIMITED: 'Too many calls in a short time. Wait or use fewer calls.',
  TIMEOUT: 'The tool did not finish in time. Ask for less, or try again later.',
  UNAVAILABLE: 'The system behind the tool cannot be reached now. Go on without it and say what is missing.',
  CIRCUIT_OPEN: 'The system behind the tool failed repeatedly and is not being called for a while. Go on without it.',
  OVERLOADED: 'Too much work is waiting for this tool. Try again later or ask for less.',
  RESULT_TOO_LARGE: 'The result is too large. Ask for less: a shorter range, a coarser step or a narrower filter.',
  SANDBOX_VIOLATION: 'The tool tried something its sandbox does not allow and was stopped.',
  POLICY_ERROR: 'The rules for this call could not be evaluated, so it did not run. Go on without it.',
  IN_DOUBT: 'It is not known whether the call took effect. Do not repeat it; a person has to settle it.',
  BUDGET_EXCEEDED: 'The budget of this run is spent, so the call did not run. Finish with what you have.',
  DRY_RUN_UNSUPPORTED: 'Only a dry run is allowed here and the tool has none.',
  INVALID_OUTPUT: 'The tool answered in a form that does not fit its contract.',
  RESULT_WITHHELD: 'The call was carried out, but its result may not be shown. Do not repeat it; go on without it.',
  CANCELLED: 'The call was cancelled and did not finish.',
  INTERNAL: 'The tool failed. Its error was recorded for the operator; try another way.',
}

/** A code of the fixed core or a tool's own (UPPER_SNAKE). */
export type ErrorCode = CoreErrorCode | (string & {})

/** The model's sentence for a code; a tool's own code gets a neutral one. */
export function sentenceFor(code: ErrorCode): string {
  return Object.hasOwn(errorSentences, code)
    ? errorSentences[code as CoreErrorCode]
    : 'The tool reported this error; adapt the call or go on without it.'
}

/** A code as it may be kept and shown: UPPER_SNAKE, at most 64 characters. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(value)
}

/** The code as it may be kept and shown; anything else becomes `INTERNAL`. */
export function codeFrom(value: unknown): ErrorCode {
  return isErrorCode(value) ? value : 'INTERNAL'
}
