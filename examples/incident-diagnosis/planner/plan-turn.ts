import type { ChatRequest } from '@fairlead/runtime'
import { causeName, languageOf, renderReport, sayIn, type Language } from '../report/index.ts'
import { formatTime } from '../sources/index.ts'
import { adaptationGaps, coarsestStep } from './adaptation-gaps.ts'
import { adaptCalls, type AdaptedCalls } from './adapt-calls.ts'
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
import type { Window } from './prompt/stated-window.ts'
import { invalidWindowAnswer } from './prompt/window-forms.ts'
import { knownServices, settleService } from './settle-service.ts'
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
  const language = languageOf(conversation.prompt)
  const say = sayIn(language)
  const isClosed = request.toolChoice === 'none'
  const may = (tool: string) => !isClosed && request.tools.some(({ name }) => name === tool)
  if (intent.window?.kind === 'invalid') return { text: invalidWindowAnswer(intent.window, language) }
  const step = settleService(intent, conversation, language)
  switch (step.kind) {
    case 'no-service':
      return { text: whichService(step.known, language) }
    case 'unknown-service':
      return { text: step.answer }
    case 'ask':
      return may(step.call.tool)
        ? {
            text: say(
              `I read the alert of ${step.service} first, to learn what happened when.`,
              `我先读取 ${step.service} 的告警，了解何时发生了什么。`,
            ),
            calls: [step.call],
          }
        : continueCase({ service: step.service, unknown: [], intent, outcomes, may, isClosed, language })
    case 'settled':
      return continueCase({
        service: step.service,
        unknown: step.unknown,
        intent,
        outcomes: new Map([...outcomes, ['alert', step.alert]]),
        may,
        isClosed,
        language,
      })
    default:
      return step satisfies never
  }
}

function whichService(known: readonly string[], language: Language): string {
  const question = sayIn(language)(
    'Which service is it about? Name it as the alerts name it, between quotes where it is no plain word, and a time window if you have one.',
    '请说明是哪个服务：按告警中的名称填写，名称特殊时请加引号；如有时间窗口也请给出。',
  )
  return `${question} ${knownServices(known, language)}`.trim()
}

type Case = NamedServices & {
  readonly language: Language
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly may: (tool: string) => boolean
  /** True where the run may make no more calls, as at a limit; which tools there are says nothing then. */
  readonly isClosed: boolean
}

function continueCase(given: Case): Turn {
  const { service, outcomes, may, isClosed, language } = given
  const say = sayIn(language)
  const alert = outcomes.get('alert')
  const stated = given.intent.window
  const window = placeWindow(stated, alert === undefined ? null : alertTimes(alert))
  if (window === null)
    return missingWindow(service, { stated, alert, isClosed, language, gaps: otherServiceGaps(given, outcomes) })
  const wanted = [...collectionCalls(service, window), ...otherServiceCalls(given)]
  const moment = alert === undefined ? null : (alertTimes(alert)?.startedAt ?? null)
  const first = adaptCalls(wanted, outcomes, moment)
  const missing = first.open.filter(({ tool }) => may(tool))
  if (missing.length > 0) return collect(given, window, missing)
  const asked = [{ id: 'alert', tool: 'get_alert_details' }, ...wanted, { id: 'runbooks', tool: 'search_runbooks' }]
  const unavailable = new Set(
    isClosed ? [] : asked.flatMap(({ id, tool }) => (outcomes.has(id) || may(tool) ? [] : [tool])),
  )
  const gaps = [
    ...otherServiceGaps(given, outcomes),
    ...[placementOf(stated, window, language)].filter((sentence) => sentence !== null),
    ...Array.from(unavailable, (tool) => say(`The tool ${tool} is not available here.`, `此处没有工具 ${tool}。`)),
  ]
  const facts = factsOf(given, { window, gaps, answers: [first] })
  const diagnosis = diagnose(facts)
  const second = adaptCalls([...runbooksCalls(facts, diagnosis), ...followUpCalls(facts)], outcomes, moment)
  const open = second.open.filter(({ tool }) => may(tool))
  if (open.length > 0) return followUp(diagnosis, open, language)
  const uncalled = isClosed ? callsNotMade(given, [...first.open, ...second.open]) : []
  const all = factsOf(given, { window, gaps: [...gaps, ...uncalled], answers: [first, second] })
  return report(all, diagnose(all), given)
}

/** Says which tools would still have been asked in a run that may make no more calls. */
function callsNotMade({ outcomes, language }: Case, open: readonly PlannedCall[]): readonly string[] {
  const alert = outcomes.has('alert') ? [] : ['get_alert_details']
  const tools = [...new Set([...alert, ...open.map(({ tool }) => tool)])]
  if (tools.length === 0) return []
  const say = sayIn(language)
  return [
    say(
      `Calls: this run may make no more, so these tools were not asked, or not asked again: ${tools.join(', ')}.`,
      `调用：本次运行不允许再调用，因此没有（再次）查询：${tools.join('、')}。`,
    ),
  ]
}

function factsOf(
  { service, outcomes, language }: Case,
  given: { readonly window: Window; readonly gaps: readonly string[]; readonly answers: readonly AdaptedCalls[] },
): Facts {
  const { window, answers } = given
  const adaptations = answers.flatMap((each) => each.adaptations)
  const settled = answers.flatMap((each) => [...each.settled])
  const facts = readFacts(new Map([...outcomes, ...settled]), { service, window, language })
  return {
    ...facts,
    stepSeconds: Math.max(facts.stepSeconds, coarsestStep(adaptations)),
    gaps: [...given.gaps, ...adaptationGaps(adaptations, new Map(settled), language), ...facts.gaps],
  }
}

function collect({ service, language }: Case, window: Window, calls: readonly PlannedCall[]): Turn {
  const span = `${formatTime(window.start)} to ${formatTime(window.end)}`
  const text = sayIn(language)(
    `I collect metrics, error logs, pods and recent deployments of ${service} for ${span}.`,
    `我收集 ${service} 在 ${span} 的指标、错误日志、Pod 和最近的部署。`,
  )
  return { text, calls }
}

function followUp(diagnosis: Diagnosis, calls: readonly PlannedCall[], language: Language): Turn {
  const say = sayIn(language)
  const { cause, subject } = diagnosis.leading
  const text = hasSuspect(diagnosis)
    ? say(
        `So far the evidence points to: ${causeName(cause).toLowerCase()} (${subject}). I look for what speaks for or against it, and for runbooks.`,
        `目前证据指向：${causeName(cause, language)}（${subject}）。我继续查找支持或反对它的证据，以及 Runbook。`,
      )
    : say(
        'So far the evidence points to no cause. I look for what else could show one.',
        '目前证据没有指向任何原因。我继续查找其他线索。',
      )
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

function report(facts: Facts, diagnosis: Diagnosis, { outcomes, may, language }: Case): Turn {
  const ticket = outcomes.get(ticketCallId)
  const written = writeReport(facts, diagnosis, ticket === undefined ? undefined : ticketActions(ticket, language))
  const text = renderReport(written, language)
  if (ticket !== undefined) return { text: `${ticketAnswer(ticket, language)}\n\n${text}`, report: written }
  if (!isWorthATicket(diagnosis) || !may('create_incident_ticket')) return { text, report: written }
  return { text, report: written, calls: [ticketCall(facts, written)] }
}
