import type { ToolLogger } from './invocation-context.ts'
import { isThenable } from './maybe-promise.ts'

/** A host's logger whose own failure is nobody's: what is logged must not change what happens to a call. */
export function unfailing(logger: ToolLogger): ToolLogger {
  const safely =
    (level: keyof ToolLogger): ToolLogger['info'] =>
    (message, fields) => {
      try {
        // It may be asynchronous, whatever its type says.
        const logged: unknown = logger[level](message, fields)
        if (isThenable(logged)) Promise.resolve(logged).catch(() => undefined)
      } catch {
        // Where would it be logged?
      }
    }
  return { info: safely('info'), warn: safely('warn') }
}
