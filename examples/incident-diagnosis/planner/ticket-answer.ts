import { oneLine, sayIn, type Language, type NextAction, type Say } from '../report/index.ts'
import { ticketResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { particularsOf, reasonGiven } from './failure-words.ts'
import { readOutcome } from './facts/read-outcome.ts'

/** What to tell people about the ticket, by what became of the call that files it. */
export function ticketAnswer(outcome: Outcome, language: Language): string {
  const say = sayIn(language)
  if (outcome.kind === 'failure') return refusal(outcome.code, outcome.words, say)
  const reading = readOutcome(outcome, ticketResult, language)
  if (reading.kind === 'gap') {
    return say(
      `Whether a ticket exists is not known: the call ${reading.reason}.`,
      `不清楚事故单是否存在：调用${reading.reason}。`,
    )
  }
  const { ticketId, service, severity } = reading.read.value
  return say(
    `Ticket ${ticketId} is filed for ${service} with severity ${severity}.`,
    `已为 ${service} 创建事故单 ${ticketId}，严重级别 ${severity}。`,
  )
}

function refusal(code: string, words: string, say: Say): string {
  switch (code) {
    case 'APPROVAL_DENIED': {
      const reason = reasonGiven(code, words)
      const quote = reason === null ? '' : say(` Reason given: “${reason}”.`, `理由：“${reason}”。`)
      return say(
        `No ticket was filed: a person refused it.${quote} What follows is advice only.`,
        `没有创建事故单：审批人已拒绝。${quote}以下内容仅为建议。`,
      )
    }
    case 'APPROVAL_EXPIRED':
      return say(
        'No ticket was filed: nobody answered the request in time. What follows is advice only.',
        '没有创建事故单：审批请求无人及时处理。以下内容仅为建议。',
      )
    case 'IN_DOUBT':
      return say(
        'It is not known whether the ticket was filed; a person has to settle it. It is not filed again.',
        '不清楚事故单是否已创建，需要人工确认；不会再次创建。',
      )
    default: {
      const said = oneLine(particularsOf(code, words))
      const quote = said === '' ? '' : say(` It was said: ${said}`, `原因：${said}`)
      return say(
        `No ticket was filed (${code}).${quote} What follows is advice only.`,
        `没有创建事故单（${code}）。${quote}以下内容仅为建议。`,
      )
    }
  }
}

/** What is left to do about the ticket after its call ended; nothing when it was filed or refused. */
export function ticketActions(outcome: Outcome, language: Language): readonly NextAction[] {
  const say = sayIn(language)
  if (outcome.kind === 'success' || (outcome.kind === 'failure' && outcome.code === 'APPROVAL_DENIED')) return []
  const unclear = outcome.kind === 'unanswered' || outcome.code === 'IN_DOUBT'
  return [
    unclear
      ? {
          action: say('Look whether the incident ticket exists', '确认事故单是否存在'),
          needsApproval: false,
          reason: say(
            'the call that files it ended without a clear answer; it is not repeated.',
            '创建事故单的调用没有明确结果，不会重复。',
          ),
        }
      : {
          action: say('File the incident ticket by hand if it still matters', '如仍有必要，请人工创建事故单'),
          needsApproval: false,
          reason: say(
            `the call that files it did not run to its end (${outcome.code}) and is not repeated.`,
            `创建事故单的调用没有完成（${outcome.code}），不会重复。`,
          ),
        },
  ]
}
