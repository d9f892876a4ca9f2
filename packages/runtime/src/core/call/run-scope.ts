import type { Json } from '../json/json.ts'
import type { ToolCounters } from '../tool/tool-counters.ts'
import type { Tool } from '../tool/tool.ts'
import type { AbortFan } from './abort-fan.ts'
import type { CallId } from './call-id.ts'
import type { Principal } from './call-record.ts'
import type { ToolLogger } from './invocation-context.ts'

/** What all calls of a run share. */
export type RunScope = {
  readonly runId: string
  readonly traceId: string
  readonly sessionId: string
  readonly principal: Principal
  readonly environment: string
  readonly services: unknown
  /** By name; a Map, so that `constructor` is an ordinary unknown name. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly fan: AbortFan
  readonly logger: ToolLogger
  /** What each tool did in this run. */
  readonly countersOf: (tool: Tool) => ToolCounters
  /** Milliseconds left of the run's deadline, or `null` without one. */
  readonly remainingMs: () => number | null
  readonly progress: (callId: CallId, update: Json) => void
}
