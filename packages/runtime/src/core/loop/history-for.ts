import { withinRun } from '../call/within-run.ts'
import { thrownText } from '../call/thrown.ts'
import { keepPairs } from '../content/keep-pairs.ts'
import type { Message } from '../content/message.ts'
import type { HistoryHook } from './history-hook.ts'
import type { LoopSetup } from './loop-setup.ts'

export type ShownHistory =
  | { readonly kind: 'shown'; readonly messages: readonly Message[] }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'late' }

/**
 * Asks the hook before a turn, within the time of that. Whatever it leaves out, a call and its result stay together or
 * go together. A hook that fails or does not answer fails the turn: a model is never asked with a history nobody chose.
 */
export async function historyFor(
  hook: HistoryHook,
  messages: readonly Message[],
  { pipeline }: LoopSetup,
  timeoutMs: number | null,
): Promise<ShownHistory> {
  const { scope, ports } = pipeline
  const asking = (async () => keepPairs(await hook(messages), messages))()
  const waited = await withinRun(asking, { fan: scope.fan, clock: ports.clock, remainingMs: timeoutMs })
  switch (waited.kind) {
    case 'done':
      return { kind: 'shown', messages: waited.value }
    case 'failed':
      return { kind: 'failed', error: `The history hook failed: ${thrownText(waited.error)}` }
    case 'aborted':
    case 'late':
      return waited
    default:
      return waited satisfies never
  }
}
