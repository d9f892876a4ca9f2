import type { Command } from 'commander'
import { commandContext, type CommandContext, type CommonOptions } from '../command-context.ts'
import type { ExitCode } from '../exit.ts'
import type { Host } from '../host.ts'

/** Runs one command's work and keeps its exit code for the process. */
export type Registrar = {
  /** The context of a parsed command, from the options typed anywhere on its line. */
  run(command: Command, work: (context: CommandContext) => Promise<ExitCode>): Promise<void>
}

/** A registrar that hands each exit code to `finished`. */
export function registrarFor(host: Host, finished: (exit: ExitCode) => void): Registrar {
  return {
    run: async (command, work) => {
      const options = command.optsWithGlobals<CommonOptions>()
      finished(await work(commandContext(host, options)))
    },
  }
}
