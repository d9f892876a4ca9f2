import { sayIn, type Language } from '../report/index.ts'
import { alertResult } from '../tools/index.ts'
import type { Conversation, Outcome } from './conversation.ts'
import { readOutcome } from './facts/read-outcome.ts'
import type { PlannedCall } from './planned-call.ts'
import type { Intent } from './prompt/read-prompt.ts'

/** Which service the case is about, and what is to be done to find out. `unknown` are names that were asked about in vain. */
export type ServiceStep =
  | { readonly kind: 'no-service'; readonly known: readonly string[] }
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
  const isNamed = intent.services.length > 0
  const guess = intent.services[0] ?? intent.odd[0]
  if (guess === undefined) return { kind: 'no-service', known: [] }
  const first = conversation.outcomes.get('alert')
  if (first === undefined) return askAbout(guess, 'alert')
  if (!isUnknownService(first)) {
    // A word that is only odd is a service where the alerts know it, not where nobody can say.
    return isNamed || isKnown(first)
      ? { kind: 'settled', service: guess, alert: first, unknown: [] }
      : { kind: 'no-service', known: [] }
  }
  const known = knownServicesIn(first.words)
  const named = serviceNamedIn(conversation.prompt, known)
  if (named === null) return isNamed ? unknownService(guess, first.words, language) : { kind: 'no-service', known }
  const second = conversation.outcomes.get('alert-of-named-service')
  if (second === undefined) return askAbout(named, 'alert-of-named-service')
  return isUnknownService(second)
    ? unknownService(named, second.words, language)
    : { kind: 'settled', service: named, alert: second, unknown: isNamed ? [guess] : [] }
}

type Failure = Extract<Outcome, { readonly kind: 'failure' }>

/** Whether a call failed because there is no service of the name. */
export function isUnknownService(outcome: Outcome | undefined): outcome is Failure {
  return outcome?.kind === 'failure' && outcome.code === 'UNKNOWN_SERVICE'
}

function isKnown(outcome: Outcome): boolean {
  const reading = readOutcome(outcome, alertResult)
  return reading.kind === 'read' && reading.read.value.source === 'present'
}

function askAbout(service: string, id: string): ServiceStep {
  return { kind: 'ask', service, call: { id, tool: 'get_alert_details', arguments: { service } } }
}

function knownServicesIn(words: string): readonly string[] {
  const list = /Known services: ([^\n]*)/.exec(words)?.[1] ?? ''
  return list.split(', ').filter((name) => name !== '' && name !== 'none')
}

/** The longest of the known names that stands in the prompt, whatever its characters are. */
function serviceNamedIn(prompt: string, known: readonly string[]): string | null {
  const text = prompt.toLowerCase()
  const named = known.filter((name) => standsIn(text, name.toLowerCase()))
  return named.toSorted((left, right) => right.length - left.length)[0] ?? null
}

function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const goesOn = wordCharacter.test(name.slice(0, 1)) && /[\p{Script=Latin}\p{N}_.-]$/u.test(text.slice(0, at))
    const end = at + name.length
    const ends = wordCharacter.test(name.slice(-1)) && /^[.-]*[\p{Script=Latin}\p{N}_]/u.test(text.slice(end, end + 9))
    if (!goesOn && !ends) return true
  }
  return false
}

/** Scripts that put no spaces between words have no such character. */
const wordCharacter = /[\p{Script=Latin}\p{N}_]/u

/** A sentence that names the known services; empty when there are none. */
export function knownServices(known: readonly string[], language: Language): string {
  if (known.length === 0) return ''
  return sayIn(language)(`Known services: ${known.join(', ')}.`, `已知的服务：${known.join('、')}。`)
}

function unknownService(service: string, words: string, language: Language): ServiceStep {
  const say = sayIn(language)
  const known = knownServicesIn(words)
  const list = knownServices(known, language) || say('No service is known here.', '此处没有已知的服务。')
  const answer = say(
    `I know no service called “${service}”, so I made no diagnosis. ${list}`,
    `没有名为“${service}”的服务，因此没有诊断。${list}`,
  )
  return { kind: 'unknown-service', answer }
}
