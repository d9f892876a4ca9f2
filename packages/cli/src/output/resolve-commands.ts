import type { CommandContext } from '../command-context.ts'
import { configWords } from '../run/config-words.ts'
import type { DoubtfulCallView, RunView } from './run-json.ts'

/** The commands that settle a call in doubt, one a line, to be pasted; what the model has an answer to is not repeated. */
export function resolveCommands(
  {
    callId,
    isAnswered = false,
    isForeign,
  }: Pick<DoubtfulCallView, 'callId' | 'isAnswered'> & Pick<RunView, 'isForeign'>,
  context: CommandContext,
): string {
  const { colours } = context.output
  const resolve = (how: string): string =>
    context.commandFor(['calls', 'resolve', callId, how, ...configWords(isForeign, context)])
  const lines = [
    `  ${colours.green('it took effect')}:  ${resolve('--done')}`,
    `  ${colours.red('it did not')}:      ${resolve('--not-done')}`,
  ]
  if (!isAnswered) lines.push(`  ${colours.yellow('do it again')}:     ${resolve('--retry')}`)
  return lines.join('\n')
}
