import type { EvidenceEntry, IncidentReport } from '../report/index.ts'
import { alertResult } from '../tools/index.ts'
import type { Outcome } from './conversation.ts'
import { readOutcome } from './facts/read-outcome.ts'
import { completeForms } from './prompt/window-forms.ts'
import type { StatedWindow } from './prompt/read-window.ts'
import type { Turn } from './turn.ts'

/** The answer when neither the prompt nor an alert says which time to examine: why, and what to state instead. */
export function missingWindow(
  service: string,
  given: {
    readonly stated: StatedWindow | null
    readonly alert: Outcome | undefined
    readonly gaps: readonly string[]
  },
): Turn {
  const { stated, alert } = given
  const why = alertGap(service, alert)
  const lacking =
    stated !== null && 'words' in stated
      ? `“${stated.words}” of the prompt has no date, and there is no alert to place it by`
      : 'the prompt states no time window'
  const statement = `The cause is unknown, nothing of ${service} was examined: ${why}, and ${lacking}.`
  const request = `State the time window with its date, for example ${completeForms}`
  const report: IncidentReport = {
    conclusion: { cause: 'unknown', subject: service, confidence: 'low', statement },
    evidence: evidenceOf(why, alert),
    excluded: [],
    gaps: [`Window: ${lacking}.`, `Alert: ${why}.`, ...given.gaps],
    nextActions: [{ action: request, needsApproval: false, reason: 'without a window there is nothing to examine.' }],
  }
  return { text: `I made no diagnosis: ${why}, and ${lacking}. ${request}.`, report }
}

function alertGap(service: string, alert: Outcome | undefined): string {
  if (alert === undefined) return `the alert of ${service} was not read, since get_alert_details is not available here`
  const reading = readOutcome(alert, alertResult)
  if (reading.kind === 'gap') return `the alert of ${service} ${reading.reason}`
  if (reading.read.value.source === 'missing') return `there is no alert of ${service}, the source of alerts is missing`
  return reading.read.value.alert === null
    ? `there is no alert of ${service}`
    : `the alert of ${service} states no usable window`
}

function evidenceOf(why: string, alert: Outcome | undefined): EvidenceEntry[] {
  if (alert?.kind !== 'success') return []
  return [{ id: 'e1', kind: 'alert', uri: alert.uri, statement: `${why.charAt(0).toUpperCase()}${why.slice(1)}.` }]
}
