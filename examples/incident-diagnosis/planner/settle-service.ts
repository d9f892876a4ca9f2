import { sayIn, type Language } from '../report/index.ts'
import type { Conversation, Outcome } from './conversation.ts'
import type { PlannedCall } from './planned-call.ts'
import type { Intent } from './prompt/read-prompt.ts'

/** Which service the case is about, and what is to be done to find out. `unknown` are names that were asked about in vain. */
export type ServiceStep =
  | { readonly kind: 'no-service' }
  | { readonly kind: 'unknown-service'; readonly answer: string }
  | { readonly kind: 'ask'; readonly service: string; readonly call: PlannedCall }
  | {
      readonly kind: 'settled'
      readonly service: string
      readonly alert: Outcome
      readonly unknown: readonly string[]
    }

/**
 * Settles the service by reading its alert. When the likeliest name of the prompt is not a service, the answer's list
 * of known services is held against the prompt, once; a prompt that names none of them gets a clear answer.
 */
export function settleService(intent: Intent, conversation: Conversation, language: Language): ServiceStep {
  const [guess] = intent.services
  if (guess === undefined) return { kind: 'no-service' }
  const first = conversation.outcomes.get('alert')
  if (first === undefined) return askAbout(guess, 'alert')
  if (!isUnknownService(first)) return { kind: 'settled', service: guess, alert: first, unknown: [] }
  const named = serviceNamedIn(conversation.prompt, knownServicesIn(first.words))
  if (named === null) return unknownService(guess, first.words, language)
  const second = conversation.outcomes.get('alert-of-named-service')
  if (second === undefined) return askAbout(named, 'alert-of-named-service')
  return isUnknownService(second)
    ? unknownService(named, second.words, language)
    : { kind: 'settled', service: named, alert: second, unknown: [guess] }
}

type Failure = Extract<Outcome, { readonly kind: 'failure' }>

/** Whether a call failed because there is no service of the name. */
export function isUnknownService(outcome: Outcome | undefined): outcome is Failure {
  return outcome?.kind === 'failure' && outcome.code === 'UNKNOWN_SERVICE'
}

function askAbout(service: string, id: string): ServiceStep {
  return { kind: 'ask', service, call: { id, tool: 'get_alert_details', arguments: { service } } }
}

function knownServicesIn(words: string): readonly string[] {
  const list = /Known services: ([^\n]*)/.exec(words)?.[1] ?? ''
  return list.split(', ').filter((name) => name !== '' && name !== 'none')
}

function serviceNamedIn(prompt: string, known: readonly string[]): string | null {
  const words = new Set(
    prompt
      .toLowerCase()
      .match(/[\p{L}\p{N}_.-]+/gu)
      ?.map((word) => word.replace(/[.-]+$/, '')),
  )
  const named = known.filter((name) => words.has(name.toLowerCase()))
  return named.toSorted((left, right) => right.length - left.length)[0] ?? null
}

function unknownService(service: string, words: string, language: Language): ServiceStep {
  const say = sayIn(language)
  const known = knownServicesIn(words)
  const list =
    known.length === 0
      ? say('No service is known here.', '此处没有已知的服务。')
      : say(`Known services: ${known.join(', ')}.`, `已知的服务：${known.join('、')}。`)
  const answer = say(
    `I know no service called “${service}”, so I made no diagnosis. ${list}`,
    `没有名为“${service}”的服务，因此没有诊断。${list}`,
  )
  return { kind: 'unknown-service', answer }
}
