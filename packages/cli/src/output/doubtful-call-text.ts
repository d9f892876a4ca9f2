import { argumentRows, type Row } from './argument-rows.ts'
import type { Colours } from './colours.ts'
import type { DoubtfulCallView } from './run-json.ts'
import { issueLine, visibleLine } from './visible-text.ts'

/** A call in doubt: which one, with every argument whole, and what was lost. */
export function doubtfulCallText(call: DoubtfulCallView, colours: Colours): string {
  const rows: readonly Row[] = [
    ['call', call.callId],
    ...argumentRows(call.arguments),
    ['because', issueLine(call.because)],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${colours.red('!')} ${colours.bold(visibleLine(call.tool))}`,
    ...rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`.trimEnd()),
  ].join('\n')
}
