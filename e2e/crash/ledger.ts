import type { JsonObject } from '@fairlead/runtime/core'

/** One thing a worker asked the remote to do. */
export type EffectRequest = {
  readonly key: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly callId: string
  readonly attempt: number
  /** The remote keeps keys: the same one again has no second effect. */
  readonly honoursKey: boolean
}

/** One effect that took place, for good. `at` is the remote's time in milliseconds since the epoch. */
export type Effect = EffectRequest & { readonly number: number; readonly at: number }

/** How the remote treats requests about an item. */
export type Behaviour = {
  readonly item: string
  readonly how:
    | { readonly kind: 'delay'; readonly ms: number }
    /** Has the effect, then cuts the line. */
    | { readonly kind: 'lose-answer' }
    /** Fails without an effect. */
    | { readonly kind: 'refuse' }
    /** Takes the request and never answers, before or after its effect. */
    | { readonly kind: 'hang'; readonly when: 'before' | 'after' }
    /** Cannot say what became of a key. */
    | { readonly kind: 'unsure' }
}

/** What a request is about. */
export function itemOf(args: JsonObject | null | undefined): string {
  const item = args?.['item']
  return typeof item === 'string' ? item : ''
}

/** Everything that happened at one remote. */
export type Ledger = {
  readonly effects: readonly Effect[]
  /** Every request that came in, with or without an effect. */
  readonly received: readonly EffectRequest[]
  /** Keys somebody asked about. */
  readonly asked: readonly string[]
}
