import type { Message } from '../content/message.ts'
import type { AgentOutcome } from '../middleware/agent-context.ts'
import type { Middleware } from '../middleware/middleware-step.ts'
import type { RunContext } from '../middleware/run-context.ts'
import type { ToolSource } from '../tool/tool-list.ts'

/** What a context provider may bring into a run before its first turn. Nothing of it is stored with the conversation. */
export interface ProvidedContext extends RunContext {
  /** The messages the run begins with; empty when a stored run goes on. */
  readonly input: readonly Message[]
  readonly resumed: boolean
  /** Added after the agent's own instructions. */
  addInstructions(text: string): void
  /** Shown to the model before the run's own messages. */
  addMessages(...messages: readonly (string | Message)[]): void
  addTools(...tools: readonly ToolSource[]): void
  /** Function and chat middleware, inside the agent's own. Agent middleware is refused. */
  addMiddleware(...middleware: readonly Middleware[]): void
}

/**
 * Brings what a run should know or be able to do: memories, the state of a ticket, tools of a tenant. Asked each time a
 * run is driven, when it is resumed too. One that throws ends the run as `terminated`, before the model is asked.
 */
export interface ContextProvider {
  readonly name: string
  beforeRun?(context: ProvidedContext): void | Promise<void>
  /** Sees how the run stopped. What it throws is logged and changes nothing. */
  afterRun?(context: RunContext, outcome: AgentOutcome): void | Promise<void>
}
