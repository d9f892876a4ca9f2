/** Codes of errors that Fairlead throws: broken contracts and misuse, never the expected outcome of a call. */
export type FairleadErrorCode =
  | 'INVALID_TOOL'
  | 'INVALID_SCHEMA'
  | 'DUPLICATE_TOOL'
  | 'INVALID_OPTION'
  | 'INVALID_MIDDLEWARE'
  | 'MIDDLEWARE_MISUSE'
  | 'MIDDLEWARE_TIMEOUT'
  | 'NEXT_CALLED_TWICE'
  | 'CALL_STOPPED'
  | 'INVALID_MESSAGE'
  | 'APPROVAL_REFUSED'
  | 'RUN_NOT_FOUND'
  | 'RUN_BUSY'
  | 'RUN_ENDED'
  | 'JOURNAL_CONFLICT'
  | 'ILLEGAL_TRANSITION'
  | 'STORE_UNAVAILABLE'
  | 'STORE_NEWER'
  | 'MODEL_ERROR'

/** What Fairlead throws. Match on `code`, never on the text: the text is for people and may change. */
export class FairleadError extends Error {
  readonly code: FairleadErrorCode
  override readonly name: string = 'FairleadError'

  constructor(code: FairleadErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
