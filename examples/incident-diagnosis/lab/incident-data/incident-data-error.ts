/** The stable codes of `IncidentDataError`. */
export type IncidentDataErrorCode =
  | 'DATA_DIRECTORY_NOT_FOUND'
  | 'METRICS_LINE_INVALID'
  | 'METRICS_END_MISSING'
  | 'METRICS_SAMPLE_CONFLICT'
  | 'METRICS_UNREADABLE'
  | 'LOGS_LINE_INVALID'
  | 'LOGS_UNREADABLE'

/** A data folder, or one file of it, that cannot be read: names the file, the line (from 1), what was expected and what was found. */
export class IncidentDataError extends Error {
  override readonly name = 'IncidentDataError'
  readonly code: IncidentDataErrorCode
  readonly file: string
  readonly line: number | undefined

  constructor(details: {
    readonly code: IncidentDataErrorCode
    readonly file: string
    readonly line?: number
    readonly expected: string
    readonly found: string
  }) {
    const place = details.line === undefined ? details.file : `${details.file}, line ${details.line}`
    super(`${details.code}: ${place}: expected ${details.expected}, found ${abbreviate(details.found)}`)
    this.code = details.code
    this.file = details.file
    this.line = details.line
  }
}

function abbreviate(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 117)}…`
}
