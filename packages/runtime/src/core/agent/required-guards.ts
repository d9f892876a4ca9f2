import { FairleadError } from '../fairlead-error.ts'
import type { Chains } from '../middleware/collect-middleware.ts'
import type { Store } from '../ports/journal.ts'

/** The guards among the middleware of a run, by name. */
export function guardNames({ agent, chat, function: calls }: Chains): readonly string[] {
  return [...agent, ...chat, ...calls].flatMap((step) => (step.guard ? [step.name] : []))
}

/**
 * A guard that a run was begun under is not left out when it goes on: elsewhere the host has to give it again. Rejects
 * with `INVALID_OPTION` where one is missing.
 */
export async function requireGuards(store: Store, runId: string, chains: Chains): Promise<void> {
  const run = await store.journal.run(runId)
  const present = new Set(guardNames(chains))
  const missing = (run?.guards ?? []).filter((name) => !present.has(name))
  if (missing.length === 0) return
  throw new FairleadError(
    'INVALID_OPTION',
    `Run ${runId} was begun under ${missing.map((name) => `guard "${name}"`).join(', ')}, which this process does not have. ` +
      'Give it again: run(answers, { middleware }) or resume(runId, { middleware }).',
  )
}
