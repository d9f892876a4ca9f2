import { ticketResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { readOutcome } from './facts/read-outcome.ts'

/** What to tell people about the ticket, by what became of the call that files it. */
export function ticketAnswer(outcome: Outcome): string {
  if (outcome.kind === 'failure') return refusal(outcome.code, outcome.words)
  const reading = readOutcome(outcome, ticketResult)
  if (reading.kind === 'gap') return `Whether a ticket exists is not known: the call ${reading.reason}.`
  const { ticketId, service, severity } = reading.read.value
  return `Ticket ${ticketId} is filed for ${service} with severity ${severity}.`
}

function refusal(code: string, words: string): string {
  const said = words.replaceAll(/\s+/g, ' ').trim()
  const quote = said === '' ? '' : ` The answer was: ${said}`
  switch (code) {
    case 'APPROVAL_DENIED':
      return `No ticket was filed: a person refused it. What follows is advice only.${quote}`
    case 'APPROVAL_EXPIRED':
      return 'No ticket was filed: nobody answered the request in time. What follows is advice only.'
    case 'IN_DOUBT':
      return 'It is not known whether the ticket was filed; a person has to settle it. It is not filed again.'
    default:
      return `No ticket was filed (${code}). What follows is advice only.${quote}`
  }
}
