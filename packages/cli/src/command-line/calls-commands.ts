import type { Command } from 'commander'
import type { TypedAnswer } from '../commands/calls-answer.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { otherModelOptions } from './config-options.ts'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

/** Adds `calls answer`. */
export function addCallsCommands(program: Command, registrar: Registrar): void {
  const calls = program
    .command('calls')
    .summary('give calls their results')
    .description('Settle the calls that wait for something other than an approval.')
  withExamples(calls, ['calls answer CALL --result \'{"found": 3}\''])
  const answer = calls
    .command('answer')
    .summary('give a call its result')
    .description(
      'Give a call of a tool without code its result, or say why there is none, and go on with its run here. The ids are in the output of run and resume.',
    )
    .argument('<call>', 'call id')
    .option('--result <json>', 'the result as JSON; the model is told it')
    .option('--error <code>', 'there is no result: a code such as UNAVAILABLE')
    .option('--message <text>', 'why there is no result; the model is told it')
    .action((id: string, options: TypedAnswer & ModelChoice, command: Command) =>
      registrar.run(command, async (context) => {
        const { callsAnswerCommand } = await import('../commands/calls-answer.ts')
        return callsAnswerCommand(id, options, context)
      }),
    )
  for (const option of otherModelOptions()) answer.addOption(option)
  withExamples(answer, [
    'calls answer CALL --result \'{"found": 3}\'',
    'calls answer CALL --error UNAVAILABLE --message "nobody is there"',
  ])
}
