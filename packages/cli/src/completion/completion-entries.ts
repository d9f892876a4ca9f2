import type { Command } from 'commander'

/** Names in the file system an argument or an option takes: files and folders, or folders alone. */
export type CompletionPaths = 'files' | 'folders'

/** What can be typed after the words that name a command (`''` is the program itself). */
export type CompletionEntry = {
  /** For example `approvals deny`. */
  readonly command: string
  readonly subcommands: readonly string[]
  /** Options with two dashes, those every command takes included. */
  readonly options: readonly string[]
  /** The values of the command's first argument, where there are only so many. */
  readonly values: readonly string[]
  /** What the command's first argument names in the file system, if anything. */
  readonly paths: CompletionPaths | null
}

/** An option that takes a value: its values where there are only so many, or what it names in the file system. */
export type CompletionChoice = {
  readonly option: string
  readonly values: readonly string[]
  readonly paths: CompletionPaths | null
}

/** Everything a completion script knows. */
export type Completion = { readonly entries: readonly CompletionEntry[]; readonly choices: readonly CompletionChoice[] }

function longOptions(command: Command): readonly string[] {
  return command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))
}

function allCommands(command: Command, words: readonly string[]): readonly (readonly [string, Command])[] {
  const own: readonly [string, Command] = [words.join(' '), command]
  return [own, ...command.commands.flatMap((child) => allCommands(child, [...words, child.name()]))]
}

/** A placeholder says what it stands for: `<file>`, `<dir>`. */
function pathsNamed(placeholder: string): CompletionPaths | null {
  if (/\bdir\b/.test(placeholder)) return 'folders'
  return /\bfile\b/.test(placeholder) ? 'files' : null
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
    paths: pathsNamed(command.registeredArguments[0]?.name() ?? ''),
  }))
  const choices = new Map<string, CompletionChoice>()
  for (const [, command] of commands) {
    for (const { long, argChoices, flags, required, optional } of command.options) {
      if (long === undefined || long === null || !(required || optional)) continue
      const values = long === '--example' ? exampleNames : (argChoices ?? choices.get(long)?.values ?? [])
      choices.set(long, { option: long, values, paths: pathsNamed(flags) })
    }
  }
  return { entries, choices: [...choices.values()] }
}
