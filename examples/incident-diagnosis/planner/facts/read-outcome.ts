import type { z } from 'zod'
import { sayIn, type Language, type Say } from '../../report/index.ts'
import type { Outcome } from '../conversation.ts'
import { factOf } from '../failure-words.ts'
import type { Read } from './facts.ts'

/** What a call gave: a value of the expected form, or the reason why there is none, fit to follow "Name: ". */
export type Reading<TValue> =
  | { readonly kind: 'read'; readonly read: Read<TValue> }
  | { readonly kind: 'gap'; readonly reason: string }

/** Reads the outcome of a call through the schema of its tool. */
export function readOutcome<TValue>(
  outcome: Outcome | undefined,
  schema: z.ZodType<TValue>,
  language: Language = 'en',
): Reading<TValue> {
  const say = sayIn(language)
  if (outcome === undefined) return { kind: 'gap', reason: say('was not asked for', '没有查询') }
  switch (outcome.kind) {
    case 'unanswered':
      return { kind: 'gap', reason: say('got no answer', '没有得到回答') }
    case 'failure':
      return { kind: 'gap', reason: failureReason(outcome.code, outcome.words, say) }
    case 'success': {
      const parsed = schema.safeParse(outcome.data)
      return parsed.success
        ? { kind: 'read', read: { value: parsed.data, uri: outcome.uri } }
        : { kind: 'gap', reason: say('came in a form this planner does not know', '格式无法识别') }
    }
    default:
      return outcome satisfies never
  }
}

function failureReason(code: string, words: string, say: Say): string {
  const fact = factOf(code, words)
  return fact === ''
    ? say(`could not be read (${code})`, `无法读取（${code}）`)
    : say(`could not be read (${code}): ${fact}`, `无法读取（${code}）：${fact}`)
}
