import { CommanderError } from 'commander'
import { describeFailure } from './describe-failure.ts'
import { exitCode, type ExitCode } from './exit.ts'
import type { Host } from './host.ts'
import { visibleText } from './output/visible-text.ts'
import { programFor } from './program.ts'

/** Says on standard error why a command ended, in one line; the stack only under `FAIRLEAD_DEBUG=1`. */
export function tellFailure(thrown: unknown, host: Host): ExitCode {
  const { exit, line, stack } = describeFailure(thrown)
  host.stderr.write(`fairlead: ${line}\n`)
  if (host.variables['FAIRLEAD_DEBUG'] === '1') host.stderr.write(`${visibleText(stack)}\n`)
  return exit
}

/** Runs one command line (without the program's own name) and gives its exit code. Never throws. */
export async function main(words: readonly string[], host: Host): Promise<ExitCode> {
  let exit: ExitCode = exitCode.ok
  try {
    await programFor(host, (code) => {
      exit = code
    }).parseAsync(words, { from: 'user' })
    return exit
  } catch (error) {
    // The parser has already said what was wrong; asking for help or the version is no fault.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage
    return tellFailure(error, host)
  }
}
