import type { Command } from 'commander'

/** What can be typed after the words that name a command (`''` is the program itself). */
export type CompletionEntry = {
  /** For example `approvals deny`. */
  readonly command: string
  readonly subcommands: readonly string[]
  /** Options with two dashes, those every command takes included. */
  readonly options: readonly string[]
  /** The values of the command's first argument, where there are only so many. */
  readonly values: readonly string[]
}

/** The values of one option, where there are only so many. */
export type CompletionChoice = { readonly option: string; readonly values: readonly string[] }

/** Everything a completion script knows. */
export type Completion = { readonly entries: readonly CompletionEntry[]; readonly choices: readonly CompletionChoice[] }

function longOptions(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))
}

function allCommands(command: Command, words: readonly string[]): readonly (readonly [string, Command])[] {
  const own: readonly [string, Command] = [words.join(' '), command]
  return [own, ...command.commands.flatMap((child) => allCommands(child, [...words, child.name()]))]
}

/** Reads a completion off the command line itself, so that it knows every command there is. */
export function completionOf(program: Command, exampleNames: readonly string[]): Completion {
  const shared = [...longOptions(program), '--help']
  const commands = allCommands(program, [])
  const entries = commands.map(([words, command]) => ({
    command: words,
    subcommands: command.commands.map((child) => child.name()),
    options: [...new Set([...longOptions(command), ...shared])].filter(
      (option) => words === '' || option !== '--version',
    ),
    values: command.registeredArguments[0]?.argChoices ?? [],
  }))
  const choices = new Map<string, readonly string[]>([['--example', exampleNames]])
  for (const [, command] of commands) {
    for (const { long, argChoices } of command.options) {
      if (argChoices !== undefined && long !== undefined && long !== null) choices.set(long, argChoices)
    }
  }
  return { entries, choices: [...choices].map(([option, values]) => ({ option, values })) }
}
