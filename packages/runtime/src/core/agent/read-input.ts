import { requireMessages } from '../content/conversation-json.ts'
import { userMessage, type Message } from '../content/message.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { HostAnswer, RunInput } from './agent-options.ts'

/** True for the host's answers to a suspended run, false for what begins one. */
export function isAnswers(input: RunInput): input is readonly HostAnswer[] {
  if (!Array.isArray(input) || input.length === 0) return false
  const [first] = input as readonly (Message | HostAnswer)[]
  return first !== undefined && 'kind' in first
}

/** What begins a run, as messages. Throws `INVALID_MESSAGE` for what cannot be said in a conversation. */
export function toMessages(input: RunInput): readonly Message[] {
  if (typeof input === 'string') return [userMessage(input)]
  // Copied: the caller's list stays the caller's.
  const messages = [...requireMessages(Array.isArray(input) ? input : [input])]
  for (const { kind } of messages.flatMap(({ parts }) => parts)) {
    if (kind !== 'function_approval_request' && kind !== 'function_approval_response') continue
    throw new FairleadError(
      'INVALID_MESSAGE',
      `A message holds a ${kind}. A conversation keeps none: give answers as they are, agent.run([approval.approve({ by })]).`,
    )
  }
  return messages
}
