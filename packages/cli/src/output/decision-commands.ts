import type { CommandContext } from '../command-context.ts'

/** The two commands that decide a pending request, one a line, to be pasted. */
export function decisionCommands(id: string, context: CommandContext): string {
  const { colours } = context.output
  const approve = context.commandFor(['approvals', 'approve', id])
  const deny = context.commandFor(['approvals', 'deny', id, '--reason', 'say why'])
  return [`  ${colours.green('approve')}: ${approve}`, `  ${colours.red('deny')}:    ${deny}`].join('\n')
}
