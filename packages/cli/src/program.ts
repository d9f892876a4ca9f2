import { Command } from 'commander'
import { addApprovalsCommands } from './command-line/approvals-commands.ts'
import { argumentHint } from './command-line/argument-hint.ts'
import { addCallsCommands } from './command-line/calls-commands.ts'
import { addCommonOptions } from './command-line/common-options.ts'
import { addProjectCommands } from './command-line/project-commands.ts'
import { addRecordCommands } from './command-line/record-commands.ts'
import { registrarFor } from './command-line/registrar.ts'
import { addRunCommands } from './command-line/run-commands.ts'
import { addToolsCommands } from './command-line/tools-commands.ts'
import { withExamples } from './command-line/with-examples.ts'
import type { ExitCode } from './exit.ts'
import type { Host } from './host.ts'
import { visibleLine } from './output/visible-text.ts'
import { columnsOf } from './terminal.ts'
import { packageVersion } from './version.ts'

/** The whole command line. Commands load their code when they run; a parse fault is thrown, after one line about it. */
export function programFor(host: Host, finished: (exit: ExitCode) => void): Command {
  const program = new Command('fairlead')
  // Inherited by every command made from here on, so this comes first.
  program.exitOverride().configureOutput({
    writeOut: (text) => host.stdout.write(text),
    writeErr: (text) => host.stderr.write(text),
    getOutHelpWidth: () => columnsOf(host.terminal.output),
    outputError: (text, write) =>
      write(`fairlead: ${visibleLine(text.replace(/^error: /, ''))}${argumentHint(text, host)}\n`),
  })
  program
    .description('Run AI agents whose every tool call is validated, approved, executed and recorded.')
    .version(packageVersion())
  addCommonOptions(program)
  const registrar = registrarFor(host, finished)
  addProjectCommands(program, registrar)
  addRunCommands(program, registrar)
  addApprovalsCommands(program, registrar)
  addCallsCommands(program, registrar)
  addRecordCommands(program, registrar)
  addToolsCommands(program, registrar)
  withExamples(program, [
    'init my-agent',
    'run "checkout hangs, please help" --offline',
    'run "The P95 latency of order-service rose to 2s" --example incident-diagnosis',
    'approvals list',
    'approvals approve ID --by you',
  ])
  return program
}
