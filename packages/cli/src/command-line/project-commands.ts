import { Argument, Option, type Command } from 'commander'
import { templateNames, type TemplateName } from '../project/project-template.ts'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

/** Adds `init` and `completion`. */
export function addProjectCommands(program: Command, registrar: Registrar): void {
  const init = program
    .command('init')
    .summary('write a small project that runs at once')
    .description('Write a small project that runs at once, offline. Nothing that is there is overwritten.')
    .argument('[dir]', 'where to write it; made when it is missing', '.')
    .addOption(new Option('--template <name>', 'which project').choices(templateNames).default('minimal'))
    .action((directory: string, options: { readonly template: TemplateName }, command: Command) =>
      registrar.run(command, async (context) => {
        const { initCommand } = await import('../commands/init.ts')
        return initCommand(directory, options, context)
      }),
    )
  withExamples(init, ['init', 'init my-agent', 'init incident-desk --template incident'])
  const completion = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Print a completion script of commands, options and example names for a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh']))
    .action((shell: 'bash' | 'zsh', _options: unknown, command: Command) =>
      registrar.run(command, async (context) => {
        const { completionCommand } = await import('../commands/completion.ts')
        return completionCommand(shell, program, context)
      }),
    )
  withExamples(completion, [
    'completion bash > ~/.local/share/bash-completion/completions/fairlead',
    'completion zsh > ~/.zfunc/_fairlead',
  ])
}
