import { sayIn, type EvidenceEntry, type IncidentReport, type Language, type Say } from '../report/index.ts'
import { alertResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { readOutcome } from './facts/read-outcome.ts'
import { completeForms } from './prompt/window-forms.ts'
import type { StatedWindow } from './prompt/stated-window.ts'
import type { Turn } from './turn.ts'

/** The answer when neither the prompt nor an alert says which time to examine: why, and what to state instead. */
export function missingWindow(
  service: string,
  given: {
    readonly stated: StatedWindow | null
    readonly alert: Outcome | undefined
    readonly isClosed: boolean
    readonly gaps: readonly string[]
    readonly language: Language
  },
): Turn {
  const { stated, alert, isClosed, language } = given
  const say = sayIn(language)
  const why = alertGap(service, { alert, isClosed, language })
  const lacking =
    stated !== null && 'words' in stated
      ? say(
          `“${stated.words}” of the prompt has no date, and there is no alert to place it by`,
          `提示中的“${stated.words}”没有日期，也没有告警可以确定它`,
        )
      : say('the prompt states no time window', '提示没有给出时间窗口')
  const statement = say(
    `The cause is unknown, nothing of ${service} was examined: ${why}, and ${lacking}.`,
    `原因未知，没有检查 ${service} 的任何数据：${why}，且${lacking}。`,
  )
  const request = say(
    `State the time window with its date, for example ${completeForms}`,
    `请给出带日期的时间窗口，例如 ${completeForms}`,
  )
  const report: IncidentReport = {
    conclusion: { cause: 'unknown', subject: service, confidence: 'low', statement },
    evidence: evidenceOf(why, alert, say),
    excluded: [],
    gaps: [
      say(`Window: ${lacking}.`, `时间窗口：${lacking}。`),
      say(`Alert: ${why}.`, `告警：${why}。`),
      ...given.gaps,
    ],
    nextActions: [
      {
        action: request,
        needsApproval: false,
        reason: say('without a window there is nothing to examine.', '没有时间窗口就没有可检查的数据。'),
      },
    ],
  }
  const text = say(
    `I made no diagnosis: ${why}, and ${lacking}. ${request}.`,
    `没有诊断：${why}，且${lacking}。${request}。`,
  )
  return { text, report }
}

function alertGap(
  service: string,
  given: { readonly alert: Outcome | undefined; readonly isClosed: boolean; readonly language: Language },
): string {
  const { alert, isClosed, language } = given
  const say = sayIn(language)
  if (alert === undefined && isClosed) {
    return say(
      `the alert of ${service} was not read, since this run may make no calls`,
      `没有读取 ${service} 的告警，因为本次运行不允许调用`,
    )
  }
  if (alert === undefined) {
    return say(
      `the alert of ${service} was not read, since get_alert_details is not available here`,
      `没有读取 ${service} 的告警，因为此处没有 get_alert_details`,
    )
  }
  const reading = readOutcome(alert, alertResult, language)
  if (reading.kind === 'gap') {
    return say(`the alert of ${service} ${reading.reason}`, `${service} 的告警${reading.reason}`)
  }
  if (reading.read.value.source === 'missing') {
    return say(
      `there is no alert of ${service}, the source of alerts is missing`,
      `没有 ${service} 的告警，告警数据源缺失`,
    )
  }
  return reading.read.value.alert === null
    ? say(`there is no alert of ${service}`, `没有 ${service} 的告警`)
    : say(`the alert of ${service} states no window of at most a year`, `${service} 的告警没有不超过一年的时间窗口`)
}

function evidenceOf(why: string, alert: Outcome | undefined, say: Say): EvidenceEntry[] {
  if (alert?.kind !== 'success') return []
  return [
    {
      id: 'e1',
      kind: 'alert',
      uri: alert.uri,
      statement: say(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`, `${why}。`),
    },
  ]
}
