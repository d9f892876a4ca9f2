import type { Command } from 'commander'

/** Adds a section of example command lines to a command's help; each is written without the program's name. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:'
  return command.addHelpText('after', ['', title, ...examples.map((example) => `  fairlead ${example}`)].join('\n'))
}
