import type { ToolLogger } from './invocation-context.ts'

/** A host's logger whose own failure is nobody's: what is logged must not change what happens to a call. */
export function unfailing(logger: ToolLogger): ToolLogger {
  const safely =
    (level: keyof ToolLogger): ToolLogger['info'] =>
    (message, fields) => {
      try {
        logger[level](message, fields)
      } catch {
        // Where would it be logged?
      }
    }
  return { info: safely('info'), warn: safely('warn') }
}
