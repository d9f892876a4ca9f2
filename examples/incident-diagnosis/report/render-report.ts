import { causeName } from './cause-name.ts'
import { sayIn, type Language } from './language.ts'
import { oneLine } from './one-line.ts'
import type { IncidentReport } from './report.ts'

const confidenceInChinese = { high: '高', medium: '中', low: '低' } as const

/**
 * The report as text in layers: conclusion, evidence, excluded causes, gaps, next actions. Only its frame is translated.
 * Each statement stays on its own line, whatever the data it quotes holds.
 */
export function renderReport(report: IncidentReport, language: Language = 'en'): string {
  const { conclusion, evidence, excluded, gaps, nextActions } = report
  const say = sayIn(language)
  const colon = say(': ', '：')
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0
      ? `${title}${say(': none.', '：无。')}`
      : `${title}${colon.trimEnd()}\n${lines.map((line, index) => `${index + 1}. ${oneLine(line)}`).join('\n')}`
  const { confidence, statement } = conclusion
  return [
    say(
      `Conclusion (confidence: ${confidence}): ${oneLine(statement)}`,
      `结论（置信度：${confidenceInChinese[confidence]}）：${oneLine(statement)}`,
    ),
    section(
      say('Evidence', '证据'),
      evidence.map((each) => `[${each.id}] ${each.statement} (${each.uri})`),
    ),
    section(
      say('Excluded', '已排除'),
      excluded.map((each) => `${causeName(each.cause, language)}${colon}${each.because}${citation(each.evidence)}`),
    ),
    section(say('Gaps', '缺口'), gaps),
    section(
      say('Next actions', '建议'),
      nextActions.map(
        ({ action, needsApproval, reason }) =>
          `${action}${needsApproval ? say(' (needs approval)', '（需人工审批）') : ''}${colon}${reason}`,
      ),
    ),
  ].join('\n\n')
}

function citation(ids: readonly string[]): string {
  return ids.length === 0 ? '' : ` [${ids.join(', ')}]`
}
