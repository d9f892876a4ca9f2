import { InvalidArgumentError, type Command } from 'commander'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

function positiveWhole(text: string): number {
  const value = Number(text)
  // 1e3 and 0x10 are numbers to JavaScript, and slips to a person.
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('Expected a whole number above 0, in digits.')
}

/** Adds `trace list`, `trace show` and `evidence show`. */
export function addRecordCommands(program: Command, registrar: Registrar): void {
  const trace = program.command('trace').summary('look at what runs did').description('Look at what runs did.')
  withExamples(trace, ['trace list', 'trace show RUN'])
  const list = trace
    .command('list')
    .description('List runs, the newest first.')
    .option('--limit <number>', 'at most this many', positiveWhole, 20)
    .action((options: { readonly limit: number }, command: Command) =>
      registrar.run(command, async (context) => {
        const { traceListCommand } = await import('../commands/trace-list.ts')
        return traceListCommand(options.limit, context)
      }),
    )
  withExamples(list, ['trace list', 'trace list --limit 5 --json'])
  const show = trace
    .command('show')
    .description('Show a run and every step of its calls.')
    .argument('<run>', 'run id')
    .action((runId: string, _options: unknown, command: Command) =>
      registrar.run(command, async (context) => {
        const { traceShowCommand } = await import('../commands/trace-show.ts')
        return traceShowCommand(runId, context)
      }),
    )
  withExamples(show, ['trace show RUN'])
  const evidence = program
    .command('evidence')
    .summary('look at the full results of calls')
    .description('Look at the full results of calls.')
  withExamples(evidence, ['evidence show evidence://RUN/CALL'])
  const showEvidence = evidence
    .command('show')
    .description('Show the full recorded result of a call.')
    .argument('<uri>', 'evidence://<run>/<call>')
    .action((uri: string, _options: unknown, command: Command) =>
      registrar.run(command, async (context) => {
        const { evidenceShowCommand } = await import('../commands/evidence-show.ts')
        return evidenceShowCommand(uri, context)
      }),
    )
  withExamples(showEvidence, ['evidence show evidence://RUN/CALL', 'evidence show evidence://RUN/CALL --json'])
}
