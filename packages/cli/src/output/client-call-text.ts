import type { CommandContext } from '../command-context.ts'
import { configWords } from '../run/config-words.ts'
import { argumentRows, type Row } from './argument-rows.ts'
import type { ClientCallView, RunView } from './run-json.ts'
import { visibleLine } from './visible-text.ts'

/** A call that waits for its result from the host: what is asked, with every argument whole, and how to answer it. */
export function clientCallText(
  call: ClientCallView,
  { isForeign }: Pick<RunView, 'isForeign'>,
  context: CommandContext,
): string {
  const { colours } = context.output
  const rows: readonly Row[] = [['call', call.callId], ...argumentRows(call.arguments)]
  const width = Math.max(...rows.map(([name]) => name.length))
  const answerWith = (...how: readonly string[]): string =>
    context.commandFor(['calls', 'answer', call.callId, ...how, ...configWords(isForeign, context)])
  const answer = answerWith('--result', '"the result as JSON"')
  const fail = answerWith('--error', 'UNAVAILABLE', '--message', 'say why')
  return [
    `${colours.yellow('?')} ${colours.bold(visibleLine(call.tool))}`,
    ...rows.map(([name, value]) => `  ${colours.dim(name.padEnd(width))}  ${value}`.trimEnd()),
    `  ${colours.green('answer')}: ${answer}`,
    `  ${colours.red('fail')}:   ${fail}`,
  ].join('\n')
}
