import type { z } from 'zod'
import type { Outcome } from '../conversation.ts'
import { factOf } from '../failure-words.ts'
import type { Read } from './facts.ts'

/** What a call gave: a value of the expected form, or the reason why there is none, fit to follow "Name: ". */
export type Reading<TValue> =
  | { readonly kind: 'read'; readonly read: Read<TValue> }
  | { readonly kind: 'gap'; readonly reason: string }

/** Reads the outcome of a call through the schema of its tool. */
export function readOutcome<TValue>(outcome: Outcome | undefined, schema: z.ZodType<TValue>): Reading<TValue> {
  if (outcome === undefined) return { kind: 'gap', reason: 'was not asked for' }
  switch (outcome.kind) {
    case 'unanswered':
      return { kind: 'gap', reason: 'got no answer' }
    case 'failure':
      return { kind: 'gap', reason: failureReason(outcome.code, outcome.words) }
    case 'success': {
      const parsed = schema.safeParse(outcome.data)
      return parsed.success
        ? { kind: 'read', read: { value: parsed.data, uri: outcome.uri } }
        : { kind: 'gap', reason: 'came in a form this planner does not know' }
    }
    default:
      return outcome satisfies never
  }
}

function failureReason(code: string, words: string): string {
  const fact = factOf(code, words)
  return fact === '' ? `could not be read (${code})` : `could not be read (${code}): ${fact}`
}
