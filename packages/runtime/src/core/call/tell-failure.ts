import { ToolError } from '../tool/tool-error.ts'
import { codeFrom } from './error-code.ts'
import type { LiveCall } from './live-call.ts'
import type { RunScope } from './run-scope.ts'
import { thrownText } from './thrown.ts'

/** Tells the host's logger why the rules of a call could not be evaluated: nobody else is told. */
export function tellUnjudged(call: LiveCall, because: string, { logger }: Pick<RunScope, 'logger'>): void {
  const { id, tool } = call.record
  logger.warn(`Tool "${tool}": the rules could not be evaluated, so the call did not run: ${because}.`, { call: id })
}

/** Tells the host's logger what became `INTERNAL`, of which the model sees nothing. A `ToolError` that is one is told. */
export function tellThrown(call: LiveCall, thrown: unknown, { logger }: Pick<RunScope, 'logger'>): void {
  const why = whyInternal(thrown)
  if (why === null) return
  const { id, tool } = call.record
  logger.warn(`Tool "${tool}" failed with INTERNAL: ${why}`, { call: id })
}

/** `null` for a `ToolError` that says so itself. */
function whyInternal(thrown: unknown): string | null {
  try {
    if (!(thrown instanceof ToolError)) return thrownText(thrown)
    const code: unknown = thrown.code
    if (code === 'INTERNAL') return null
    return codeFrom(code) === code
      ? 'its ToolError cannot be read: message must be a text and detail JSON'
      : `the code ${typeof code === 'string' ? JSON.stringify(code.slice(0, 60)) : typeof code} of its ToolError is ` +
          `not in UPPER_SNAKE (at most 64 characters), so the model was not told it: ${thrownText(thrown)}`
  } catch {
    return 'what it threw cannot be read'
  }
}
