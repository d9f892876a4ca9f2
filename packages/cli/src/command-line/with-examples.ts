import type { Command } from 'commander'

function globalOptions(parent: Command): string {
  let program = parent
  while (program.parent !== null) program = program.parent
  const names = program.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))
  return `Global options (see fairlead --help): ${names.filter((name) => name !== '--version').join(', ')}`
}

/** Adds a section of example command lines to a command's help; each is written without the program's name. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:'
  // They stand whole in the program's own help; twenty more screens of them help nobody.
  if (command.parent !== null) command.addHelpText('after', `\n${globalOptions(command.parent)}`)
  return command.addHelpText('after', ['', title, ...examples.map((example) => `  fairlead ${example}`)].join('\n'))
}
