import type { JsonObject } from '../json/json.ts'
import type { InvocationContext } from '../call/invocation-context.ts'
import type { Tool } from '../tool/tool.ts'

/**
 * Runs one attempt of a call. The default calls `execute` directly; others add sandboxes or remote workers.
 * Resolves with the tool's raw return value, rejects with what it threw. Honours `context.signal`.
 */
export interface Executor {
  execute(tool: Tool, args: JsonObject, context: InvocationContext): unknown
}
