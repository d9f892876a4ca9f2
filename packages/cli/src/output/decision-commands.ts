import type { CommandContext } from '../command-context.ts'
import { configWords } from '../run/config-words.ts'
import type { ApprovalView } from './approval-json.ts'

/** The two commands that decide a pending request, one a line, to be pasted. */
export function decisionCommands(
  { id, isForeign }: Pick<ApprovalView, 'id' | 'isForeign'>,
  context: CommandContext,
): string {
  const { colours } = context.output
  const config = configWords(isForeign, context)
  const approve = context.commandFor(['approvals', 'approve', id, ...config])
  const deny = context.commandFor(['approvals', 'deny', id, '--reason', 'say why', ...config])
  return [`  ${colours.green('approve')}: ${approve}`, `  ${colours.red('deny')}:    ${deny}`].join('\n')
}
