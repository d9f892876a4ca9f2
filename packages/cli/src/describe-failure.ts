import { inspect } from 'node:util'
import { CommandFailure, exitCode, type ExitCode } from './exit.ts'
import { visibleLine } from './output/visible-text.ts'

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Codes of a store that cannot be used, whenever that shows. */
const unusable: readonly string[] = ['STORE_UNAVAILABLE', 'STORE_NEWER']

/** The stack with those of its causes: what a configuration threw lies below our own failure. */
function stackOf(error: Error): string {
  const stacks: string[] = []
  const seen = new Set<unknown>()
  for (let at: unknown = error; at !== undefined && !seen.has(at) && stacks.length < 10;) {
    seen.add(at)
    stacks.push(at instanceof Error ? (at.stack ?? at.message) : inspect(at))
    at = at instanceof Error ? at.cause : undefined
  }
  return stacks.join('\nCaused by: ')
}

/**
 * Any thrown value as an exit code and one harmless line; the stack is for `FAIRLEAD_DEBUG=1` only.
 * Errors are known by their `code`, so that telling a usage fault does not load the runtime.
 */
export function describeFailure(thrown: unknown): {
  readonly exit: ExitCode
  readonly line: string
  readonly stack: string
} {
  if (!(thrown instanceof Error))
    return { exit: exitCode.failed, line: visibleLine(String(thrown)), stack: String(thrown) }
  const message = thrown.message === '' ? thrown.name : thrown.message
  const stack = stackOf(thrown)
  if (thrown instanceof CommandFailure) return { exit: thrown.exit, line: visibleLine(message), stack }
  const code = codeOf(thrown)
  const line = code === null || message.includes(code) ? message : `${message} (${code})`
  const exit = code !== null && unusable.includes(code) ? exitCode.usage : exitCode.failed
  return { exit, line: visibleLine(line), stack }
}
