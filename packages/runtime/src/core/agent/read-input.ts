import { requireMessages } from '../content/conversation-json.ts'
import { isRequest, isResponse } from '../content/hosted-approvals.ts'
import { userMessage, type Message } from '../content/message.ts'
import { requireNoConsent } from '../content/require-no-consent.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { HostAnswer, RunInput } from './agent-options.ts'

/** True for the host's answers, false for what begins a run. */
export function isAnswers(input: RunInput): input is readonly HostAnswer[] {
  if (!Array.isArray(input)) return false
  const first: unknown = input[0]
  return typeof first === 'object' && first !== null && 'kind' in first
}

/** What begins a run, as messages. Throws `INVALID_MESSAGE` for what cannot be said in a conversation. */
export function toMessages(input: RunInput): readonly Message[] {
  if (typeof input === 'string') return [userMessage(input)]
  const given: readonly unknown[] = Array.isArray(input) ? input : [input]
  // An empty list is what is left of answers that were filtered away; a run begun by it would be nobody's wish.
  if (given.length === 0)
    throw invalid('The list is empty: expected a text, messages, or answers to what a run waits for')
  if (given.some(isCard)) {
    throw invalid(
      'These are cards, not answers: expected what approve, edit or deny of each gives, agent.run(cards.map((card) => card.approve({ by })))',
    )
  }
  // Copied: the caller's list stays the caller's.
  const messages = [...requireMessages(given)]
  requireConsentInPlace(messages)
  return messages
}

function isCard(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'approve' in value && typeof value.approve === 'function'
}

/** A conversation that a host carries itself may hold a provider's question and, behind it, the answer. */
function requireConsentInPlace(messages: readonly Message[]): void {
  const asked = new Set<string>()
  for (const { role, parts } of messages) {
    const others = parts.filter((part) => {
      if (isRequest(part) && role === 'assistant') {
        asked.add(part.id)
        return false
      }
      return !(isResponse(part) && role === 'tool' && part.by.trim() !== '' && asked.delete(part.id))
    })
    requireNoConsent({ role, parts: others })
  }
}

function invalid(what: string): FairleadError {
  return new FairleadError('INVALID_MESSAGE', `${what}.`)
}
