import { withinRun } from '../call/within-run.ts'
import { cleanText } from '../call/safe-error-text.ts'
import { keepPairs } from '../content/keep-pairs.ts'
import type { Message } from '../content/message.ts'
import type { HistoryHook } from './history-hook.ts'
import type { LoopSetup } from './loop-setup.ts'
import { remainingMs } from './loop-setup.ts'

export type ShownHistory =
  | { readonly kind: 'shown'; readonly messages: readonly Message[] }
  | { readonly kind: 'failed'; readonly error: string }

/**
 * Asks the hook before a turn, within the run's time. Whatever it leaves out, a call and its result stay together or go
 * together. A hook that fails fails the turn: a model is never asked with a history nobody chose.
 */
export async function historyFor(
  hook: HistoryHook,
  messages: readonly Message[],
  setup: LoopSetup,
): Promise<ShownHistory> {
  const { scope, ports } = setup.pipeline
  const asking = (async () => hook(messages))()
  const waited = await withinRun(asking, { fan: scope.fan, clock: ports.clock, remainingMs: remainingMs(setup) })
  switch (waited.kind) {
    case 'done':
      if (!Array.isArray(waited.value)) return { kind: 'failed', error: 'The history hook gave no list of messages.' }
      return { kind: 'shown', messages: keepPairs(waited.value) }
    case 'failed': {
      const what = waited.error instanceof Error ? cleanText(waited.error.message) : 'something that is not an error'
      return { kind: 'failed', error: `The history hook failed: ${what}` }
    }
    case 'aborted':
    case 'late':
      // The turn itself finds out the same, at once.
      return { kind: 'shown', messages }
    default:
      return waited satisfies never
  }
}
