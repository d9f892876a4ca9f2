import type { Message } from '../content/message.ts'
import type { Json } from '../json/json.ts'
import type { Chains } from '../middleware/collect-middleware.ts'
import type { Store } from '../ports/journal.ts'
import type { Usage } from '../ports/run-record.ts'
import type { RunTools } from '../tool/run-tools.ts'
import type { ToolCounters } from '../tool/tool-counters.ts'
import type { Tool } from '../tool/tool.ts'
import type { AbortFan } from './abort-fan.ts'
import type { CallId } from './call-id.ts'
import type { Principal } from './call-record.ts'
import type { ToolLogger } from './invocation-context.ts'

/** What a run inside a call used; `null` for a cost nobody knows. */
export type Charge = { readonly usage: Usage; readonly usageKnown: boolean; readonly costUsd: number | null }

/** What all calls of a run share. */
export type RunScope = {
  readonly runId: string
  readonly traceId: string
  readonly sessionId: string
  readonly principal: Principal
  readonly environment: string
  readonly services: unknown
  readonly tools: RunTools
  /** Outermost first; context providers add to them before the first turn. */
  chains: Chains
  /** Of middleware and tools, for one drive of the run. */
  readonly state: Map<unknown, unknown>
  readonly fan: AbortFan
  readonly logger: ToolLogger
  /** What each tool did in this run. */
  readonly countersOf: (tool: Tool) => ToolCounters
  /** Milliseconds left of the run's deadline, or `null` without one. */
  readonly remainingMs: () => number | null
  readonly progress: (callId: CallId, update: Json) => void
  /** Adds a message for the model's next turn. */
  readonly inject: (message: string | Message) => void
  /** Adds what an agent inside a call used. */
  readonly charge: (spent: Charge) => void
  /** What is left of the run's budgets; `null` where there is no limit. */
  readonly budgetLeft: () => { readonly maxTokens: number | null; readonly maxCostUsd: number | null }
  readonly store: Store
  /** Calls that have, or may have, a run of an agent inside them; they end with this run. */
  readonly insides: Set<CallId>
  /** How deep this run lies inside others: 0 for one a host started. */
  readonly depth: number
  /** What still counts time for middleware when the run is over: nobody waits for it any more. */
  readonly timers: Set<AbortController>
  /** Ends the run once its batch has finished; `by` names who asked for it. */
  readonly terminate: (by: string) => void
}
