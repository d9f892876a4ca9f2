import type { ChatRequest } from '@fairlead/runtime'
import { causeName, renderReport } from '../report/index.ts'
import { formatTime } from '../sources/index.ts'
import { alertTimes } from './alert-times.ts'
import { collectionCalls } from './collection-calls.ts'
import { readConversation, type Outcome } from './conversation.ts'
import { diagnose, type Diagnosis } from './diagnosis/diagnose.ts'
import type { Facts } from './facts/facts.ts'
import { readFacts } from './facts/read-facts.ts'
import { followUpCalls } from './follow-up-calls.ts'
import { missingWindow } from './missing-window.ts'
import { otherServiceCalls, otherServiceGaps, type NamedServices } from './other-services.ts'
import type { PlannedCall } from './planned-call.ts'
import { readPrompt } from './prompt/read-prompt.ts'
import { placementOf, placeWindow } from './prompt/place-window.ts'
import type { Window } from './prompt/read-window.ts'
import { invalidWindowAnswer } from './prompt/window-forms.ts'
import { settleService } from './settle-service.ts'
import { ticketActions, ticketAnswer } from './ticket-answer.ts'
import { ticketCall, ticketCallId } from './ticket-call.ts'
import type { Turn } from './turn.ts'
import { hasSuspect, isWorthATicket } from './write-up/next-actions.ts'
import { writeReport } from './write-up/write-report.ts'

/** Decides the next turn of a diagnosis from the conversation alone. Each call is proposed at most once. */
export function planTurn(request: ChatRequest): Turn {
  const conversation = readConversation(request.messages)
  const { outcomes } = conversation
  const intent = readPrompt(conversation.prompt)
  const may = (tool: string) => request.toolChoice !== 'none' && request.tools.some(({ name }) => name === tool)
  if (intent.window?.kind === 'invalid') return { text: invalidWindowAnswer(intent.window) }
  const step = settleService(intent, conversation)
  switch (step.kind) {
    case 'no-service':
      return { text: 'Which service is it about? Name it as the alerts name it, and a time window if you have one.' }
    case 'unknown-service':
      return { text: step.answer }
    case 'ask':
      return may(step.call.tool)
        ? { text: `I read the alert of ${step.service} first, to learn what happened when.`, calls: [step.call] }
        : continueCase({ service: step.service, unknown: [], intent, outcomes, may })
    case 'settled':
      return continueCase({
        service: step.service,
        unknown: step.unknown,
        intent,
        outcomes: new Map([...outcomes, ['alert', step.alert]]),
        may,
      })
    default:
      return step satisfies never
  }
}

type Case = NamedServices & {
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly may: (tool: string) => boolean
}

function continueCase(given: Case): Turn {
  const { service, outcomes, may } = given
  const alert = outcomes.get('alert')
  const stated = given.intent.window
  const window = placeWindow(stated, alert === undefined ? null : alertTimes(alert))
  if (window === null) return missingWindow(service, { stated, alert, gaps: otherServiceGaps(given, outcomes) })
  const wanted = [...collectionCalls(service, window), ...otherServiceCalls(given)]
  const missing = wanted.filter(({ id, tool }) => !outcomes.has(id) && may(tool))
  if (missing.length > 0) return collect(service, window, missing)
  const asked = [{ id: 'alert', tool: 'get_alert_details' }, ...wanted, { id: 'runbooks', tool: 'search_runbooks' }]
  const unavailable = new Set(asked.flatMap(({ id, tool }) => (outcomes.has(id) || may(tool) ? [] : [tool])))
  const facts = withGaps(readFacts(outcomes, { service, window }), [
    ...otherServiceGaps(given, outcomes),
    ...[placementOf(stated, window)].filter((sentence) => sentence !== null),
    ...Array.from(unavailable, (tool) => `The tool ${tool} is not available here.`),
  ])
  const diagnosis = diagnose(facts)
  const followUps = [...runbooksCalls(facts, diagnosis), ...followUpCalls(facts)]
  const open = followUps.filter(({ id, tool }) => !outcomes.has(id) && may(tool))
  if (open.length > 0) return followUp(diagnosis, open)
  return report(facts, diagnosis, given)
}

function withGaps(facts: Facts, gaps: readonly string[]): Facts {
  return { ...facts, gaps: [...gaps, ...facts.gaps] }
}

function collect(service: string, window: Window, calls: readonly PlannedCall[]): Turn {
  const span = `${formatTime(window.start)} to ${formatTime(window.end)}`
  return { text: `I collect metrics, error logs, pods and recent deployments of ${service} for ${span}.`, calls }
}

function followUp(diagnosis: Diagnosis, calls: readonly PlannedCall[]): Turn {
  const { cause, subject } = diagnosis.leading
  const text = hasSuspect(diagnosis)
    ? `So far the evidence points to: ${causeName(cause).toLowerCase()} (${subject}). I look for what speaks for or against it, and for runbooks.`
    : 'So far the evidence points to no cause. I look for what else could show one.'
  return { text, calls }
}

function runbooksCalls(facts: Facts, diagnosis: Diagnosis): readonly PlannedCall[] {
  if (!hasSuspect(diagnosis)) return []
  const { leading, symptoms } = diagnosis
  const suspected = causeName(leading.cause).toLowerCase()
  const symptom = symptoms.latency !== null ? 'latency regression' : symptoms.errorRatio !== null ? 'errors' : 'alert'
  const query = `${suspected} ${symptom} ${facts.service}`.slice(0, 500)
  return [{ id: 'runbooks', tool: 'search_runbooks', arguments: { query, limit: 3 } }]
}

function report(facts: Facts, diagnosis: Diagnosis, { outcomes, may }: Case): Turn {
  const ticket = outcomes.get(ticketCallId)
  const written = writeReport(facts, diagnosis, ticket === undefined ? undefined : ticketActions(ticket))
  const text = renderReport(written)
  if (ticket !== undefined) return { text: `${ticketAnswer(ticket)}\n\n${text}`, report: written }
  if (!isWorthATicket(diagnosis) || !may('create_incident_ticket')) return { text, report: written }
  return { text, report: written, calls: [ticketCall(facts, written)] }
}
