import type { Principal } from '../call/call-record.ts'
import type { ToolLogger } from '../call/invocation-context.ts'
import type { Message } from '../content/message.ts'
import type { LiveTools } from '../tool/live-tools.ts'

/** What every kind of middleware, and every context provider, sees of the run it works in. */
export interface RunContext {
  readonly runId: string
  readonly session: { readonly id: string }
  readonly principal: Principal
  readonly environment: string
  readonly services: unknown
  /** Aborts with the run. */
  readonly signal: AbortSignal
  readonly logger: ToolLogger
  /** Kept for one drive of the run, in this process: shared by all middleware and calls, seen by nobody else. */
  readonly state: Map<unknown, unknown>
  readonly tools: LiveTools
  /** Adds a user message that the next turn of the model gets to see; a run about to end goes on for it. */
  inject(message: string | Message): void
}
