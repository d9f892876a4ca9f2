import { runWithin } from '../text/run-within.ts'
import type { HttpAnswer } from './http-answer.ts'

const limitMilliseconds = 10_000

/** The answer to a request, or `late` when it takes more than ten seconds; an exception passes through. */
export function answerInTime(respond: () => HttpAnswer, late: HttpAnswer): HttpAnswer {
  const outcome = runWithin(limitMilliseconds, respond)
  return outcome.kind === 'finished' ? outcome.value : late
}
