import type { DryRun } from '../run/dry-run.ts'
import { visibleLine } from './visible-text.ts'

const mostLines = 20
const longestLine = 400

/** What a dry run said, line by line and harmless; its failure as such; none where the tool has no dry run. */
export function dryRunRows(dryRun: DryRun): readonly string[] {
  switch (dryRun.kind) {
    case 'none':
      return []
    case 'failed':
      return [`failed, so what the call would do is not known: ${visibleLine(dryRun.because, longestLine)}`]
    case 'said': {
      const lines = textOf(dryRun.value).split('\n')
      const shown = lines.slice(0, mostLines).map((line) => visibleLine(line, longestLine))
      return lines.length > mostLines ? [...shown, `… and ${lines.length - mostLines} more lines`] : shown
    }
    default:
      return dryRun satisfies never
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    const json: unknown = JSON.stringify(value)
    return typeof json === 'string' ? json : 'nothing'
  } catch {
    return 'something that is no JSON'
  }
}
