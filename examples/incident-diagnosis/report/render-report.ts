import { causeName } from './cause-name.ts'
import type { IncidentReport } from './report.ts'

/** The report as English text in layers: conclusion, evidence, excluded causes, gaps, next actions. */
export function renderReport(report: IncidentReport): string {
  const { conclusion, evidence, excluded, gaps, nextActions } = report
  return [
    `Conclusion (confidence: ${conclusion.confidence}): ${conclusion.statement}`,
    section(
      'Evidence',
      evidence.map(({ id, statement, uri }) => `[${id}] ${statement} (${uri})`),
    ),
    section(
      'Excluded',
      excluded.map((each) => `${causeName(each.cause)}: ${each.because}${citation(each.evidence)}`),
    ),
    section('Gaps', gaps),
    section(
      'Next actions',
      nextActions.map(
        ({ action, needsApproval, reason }) => `${action}${needsApproval ? ' (needs approval)' : ''}: ${reason}`,
      ),
    ),
  ].join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return `${title}: none.`
  return `${title}:\n${lines.map((line, index) => `${index + 1}. ${line}`).join('\n')}`
}

function citation(ids: readonly string[]): string {
  return ids.length === 0 ? '' : ` [${ids.join(', ')}]`
}
