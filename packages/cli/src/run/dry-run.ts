import {
  autoApprove,
  memoryStore,
  toolApproval,
  ToolError,
  type Agent,
  type Approval,
  type Executor,
  type RunRecord,
  type ToolCounters,
} from '@fairlead/runtime/core'

/** What a tool says a call would do, without doing it. */
export type DryRun =
  /** The tool has none, or is not known here. */
  | { readonly kind: 'none' }
  | { readonly kind: 'said'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly because: string }

const unlimited = { maxInvocations: null, maxInvocationExceptions: null }

/** A dry run is no call: a tool that may be called once must still be callable after it. */
function restoreCounters(
  counters: ToolCounters,
  before: { readonly invocations: number; readonly exceptions: number },
): void {
  counters.reset()
  for (let count = 0; count < before.invocations; count += 1) counters.admit(unlimited)
  for (let count = 0; count < before.exceptions; count += 1) counters.countException()
}

function reasonOf(error: unknown): string {
  if (error instanceof ToolError) return `${error.code}: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

/**
 * Asks the tool of a request what the call would do, for at most `limitMs`. The call goes down the agent's own pipeline,
 * into a store that is thrown away and through an executor that knows no `execute`: only a tool's `dryRun` runs, and a
 * tool without one does nothing.
 */
export async function dryRun(
  agent: Agent,
  { approval, run }: { readonly approval: Approval; readonly run: Pick<RunRecord, 'principal' | 'environment'> },
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<DryRun> {
  const { tool: name, version, origin } = approval
  const isKnown = agent
    .tools()
    .some((contract) => contract.name === name && contract.version === version && contract.origin === origin)
  if (!isKnown) return { kind: 'none' }
  let said: DryRun = { kind: 'none' }
  let restore = (): void => undefined
  const executor: Executor = {
    execute: async (tool, args, context) => {
      const { counters, behaviour } = tool
      const before = { invocations: counters.invocations - 1, exceptions: counters.exceptions }
      restore = () => restoreCounters(counters, before)
      if (behaviour.dryRun === null) return null
      said = { kind: 'failed', because: `it gave no answer within ${limitMs / 1000} s` }
      try {
        // The pipeline has validated the arguments against this tool's own schema.
        said = { kind: 'said', value: await behaviour.dryRun(args as never, context as never) }
      } catch (error) {
        if (!context.signal.aborted) said = { kind: 'failed', because: reasonOf(error) }
      }
      return null
    },
  }
  const rehearsal = agent.with({
    store: memoryStore(),
    executor,
    policy: { decide: () => ({ effect: 'allow', rules: [] }) },
    recorder: { record: () => Promise.resolve() },
    middleware: [toolApproval({ autoApprove: autoApprove.all })],
  })
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  const { principal, environment } = run
  const session = await rehearsal.session(approval.sessionId)
  await rehearsal.call(name, approval.arguments, { principal, environment, session, signal: stopped }).result
  restore()
  return said
}
