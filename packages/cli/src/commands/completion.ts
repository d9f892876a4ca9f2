import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { completionOf } from '../completion/completion-entries.ts'
import { bashScript, zshScript } from '../completion/completion-script.ts'
import { exampleNames } from '../config/find-example.ts'
import { exitCode, type ExitCode } from '../exit.ts'

/** `fairlead completion SHELL`: prints a script that completes what `program` takes. */
export function completionCommand(shell: 'bash' | 'zsh', program: Command, context: CommandContext): ExitCode {
  const completion = completionOf(program, exampleNames())
  const script = shell === 'bash' ? bashScript(completion) : zshScript(completion)
  context.output.result(script.trimEnd())
  context.output.document({ shell, script })
  return exitCode.ok
}
