/** What the command's exit code says: `ok` includes a run that waits for an approval or a result. */
export const exitCode = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Ends a command with one line for the person who typed it. The message says what was found and what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exit: ExitCode

  constructor(exit: ExitCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}

/** A failure of what was typed: options, files or configuration. */
export function usageFailure(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCode.usage, message, { cause })
}

/** A failure of what was asked for: the command was understood and could not be done. */
export function requestFailure(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(exitCode.failed, message, { cause })
}
