import { thrownText } from '../call/thrown.ts'
import { withinRun, type Waited } from '../call/within-run.ts'
import type { Message } from '../content/message.ts'
import type { LoopSetup } from '../loop/loop-setup.ts'
import { remainingMs } from '../loop/loop-setup.ts'
import type { AgentOutcome } from '../middleware/agent-context.ts'
import { collectMiddleware, nestChains } from '../middleware/collect-middleware.ts'
import type { Middleware } from '../middleware/middleware-step.ts'
import { userMessageFrom } from '../middleware/run-passage.ts'
import { ScopeContext } from '../middleware/scope-context.ts'
import type { ToolSource } from '../tool/tool-list.ts'
import type { ContextProvider, ProvidedContext } from './context-provider.ts'

/** Why a run ends before the model is asked. */
export type ContextFault = { readonly reason: 'terminated' | 'budget_limit' | 'aborted'; readonly error: string }

/**
 * Asks every provider in order. Answers why the run cannot begin, or `null`: a model is never asked with half of a
 * context, which may lack a guard.
 */
export async function provideContext(
  providers: readonly ContextProvider[],
  setup: LoopSetup,
  run: { readonly input: readonly Message[]; readonly resumed: boolean },
): Promise<ContextFault | null> {
  for (const provider of providers) {
    if (provider.beforeRun === undefined) continue
    const context = new Provision(setup, provider.name, run)
    const work = (async () => provider.beforeRun?.(context))()
    const waited = await withinRun(work, patience(setup))
    const fault = faultOf(waited, provider.name)
    if (fault !== null) return fault
  }
  return null
}

function faultOf(waited: Waited<unknown>, name: string): ContextFault | null {
  switch (waited.kind) {
    case 'done':
      return null
    case 'failed':
      return { reason: 'terminated', error: `Context provider "${name}" failed: ${thrownText(waited.error)}` }
    case 'late':
      return { reason: 'budget_limit', error: `Context provider "${name}" did not end within the time of the run.` }
    case 'aborted':
      return { reason: 'aborted', error: `The run was aborted while context provider "${name}" worked.` }
    default:
      return waited satisfies never
  }
}

/** Tells every provider how the run stopped, the last one first. */
export async function tellProviders(
  providers: readonly ContextProvider[],
  setup: LoopSetup,
  outcome: AgentOutcome,
): Promise<void> {
  const { scope } = setup.pipeline
  for (const provider of providers.toReversed()) {
    if (provider.afterRun === undefined) continue
    const work = (async () => provider.afterRun?.(new AfterRun(scope), outcome))()
    const waited = await withinRun(work, patience(setup))
    if (waited.kind !== 'failed') continue
    scope.logger.warn(`Context provider "${provider.name}" failed after the run: ${thrownText(waited.error)}`)
  }
}

class AfterRun extends ScopeContext {}

class Provision extends ScopeContext implements ProvidedContext {
  readonly #setup: LoopSetup
  readonly #name: string
  readonly input: readonly Message[]
  readonly resumed: boolean

  constructor(setup: LoopSetup, name: string, run: { readonly input: readonly Message[]; readonly resumed: boolean }) {
    super(setup.pipeline.scope)
    this.#setup = setup
    this.#name = name
    this.input = run.input
    this.resumed = run.resumed
  }

  addInstructions(text: string): void {
    const { brought } = this.#setup
    brought.instructions = brought.instructions === undefined ? text : `${brought.instructions}\n\n${text}`
  }

  addMessages(...messages: readonly (string | Message)[]): void {
    this.#setup.brought.messages.push(...messages.map(userMessageFrom))
  }

  addTools(...tools: readonly ToolSource[]): void {
    this.tools.add(...tools)
  }

  addMiddleware(...middleware: readonly Middleware[]): void {
    const place = `Context provider "${this.#name}"`
    const { scope } = this.#setup.pipeline
    scope.chains = nestChains(scope.chains, collectMiddleware(middleware, place, ['chat', 'function']))
  }
}

function patience(setup: LoopSetup): Parameters<typeof withinRun>[1] {
  const { scope, ports } = setup.pipeline
  return { fan: scope.fan, clock: ports.clock, remainingMs: remainingMs(setup) }
}
