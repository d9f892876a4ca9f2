import type { NextAction } from '../report/index.ts'
import { ticketResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { particularsOf, reasonGiven } from './failure-words.ts'
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
  switch (code) {
    case 'APPROVAL_DENIED': {
      const reason = reasonGiven(code, words)
      const quote = reason === null ? '' : ` Reason given: “${reason}”.`
      return `No ticket was filed: a person refused it.${quote} What follows is advice only.`
    }
    case 'APPROVAL_EXPIRED':
      return 'No ticket was filed: nobody answered the request in time. What follows is advice only.'
    case 'IN_DOUBT':
      return 'It is not known whether the ticket was filed; a person has to settle it. It is not filed again.'
    default: {
      const said = particularsOf(code, words).replaceAll(/\s+/g, ' ')
      const quote = said === '' ? '' : ` It was said: ${said}`
      return `No ticket was filed (${code}).${quote} What follows is advice only.`
    }
  }
}

/** What is left to do about the ticket after its call ended; nothing when it was filed or refused. */
export function ticketActions(outcome: Outcome): readonly NextAction[] {
  if (outcome.kind === 'success' || (outcome.kind === 'failure' && outcome.code === 'APPROVAL_DENIED')) return []
  const unclear = outcome.kind === 'unanswered' || outcome.code === 'IN_DOUBT'
  return [
    unclear
      ? {
          action: 'Look whether the incident ticket exists',
          needsApproval: false,
          reason: 'the call that files it ended without a clear answer; it is not repeated.',
        }
      : {
          action: 'File the incident ticket by hand if it still matters',
          needsApproval: false,
          reason: `the call that files it did not run to its end (${outcome.code}) and is not repeated.`,
        },
  ]
}
