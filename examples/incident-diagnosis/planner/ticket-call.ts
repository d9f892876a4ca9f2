import { causeName, sayIn, type IncidentReport } from '../report/index.ts'
import type { Facts } from './facts/facts.ts'
import type { PlannedCall } from './planned-call.ts'

/** The id of the call that files the ticket. */
export const ticketCallId = 'ticket'

/** The ticket a report proposes. */
export function ticketCall(facts: Facts, report: IncidentReport): PlannedCall {
  const { cause, subject, statement } = report.conclusion
  return {
    id: ticketCallId,
    tool: 'create_incident_ticket',
    arguments: {
      title: clip(
        sayIn(facts.language)(
          `${facts.service}: ${causeName(cause).toLowerCase()} suspected (${subject})`,
          `${facts.service}：怀疑${causeName(cause, 'zh')}（${subject}）`,
        ),
        200,
      ),
      service: facts.service,
      severity: severityOf(facts.alert?.value.severity ?? ''),
      summary: clip(statement, 4000),
      suspected_cause: clip(`${cause}: ${subject}`, 300),
      evidence: [...new Set(report.evidence.map(({ uri }) => uri))].slice(0, 50),
    },
  }
}

function severityOf(alertSeverity: string): 'critical' | 'high' | 'medium' | 'low' {
  if (/^(?:critical|fatal|page|emergency|sev-?[01]|p[01])$/i.test(alertSeverity)) return 'critical'
  if (/^(?:high|major|error|sev-?2|p2)$/i.test(alertSeverity)) return 'high'
  if (/^(?:low|minor|info|informational|notice|sev-?[45]|p[45])$/i.test(alertSeverity)) return 'low'
  return 'medium'
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
