import type { CallState } from '@fairlead/runtime/core'
import { Option, type Command } from 'commander'
import type { TypedAnswer } from '../commands/calls-answer.ts'
import type { TypedFinding } from '../commands/calls-resolve.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { otherModelOptions } from './config-options.ts'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

/** Every state of a call. Written out, because the runtime is loaded only when a command runs. */
const states: readonly CallState[] = [
  'Requested',
  'Validated',
  'PolicyChecked',
  'NeedsApproval',
  'Approved',
  'AwaitingClient',
  'Executing',
  'Failed',
  'TimedOut',
  'Unknown',
  'Retried',
  'Succeeded',
  'Rejected',
  'Denied',
  'Expired',
  'Cancelled',
  'Compensated',
  'Observed',
]

/** Adds `calls list`, `answer` and `resolve`. */
export function addCallsCommands(program: Command, registrar: Registrar): void {
  const calls = program
    .command('calls')
    .summary('look at calls, settle those that wait or are in doubt')
    .description('Look at calls, and settle those that wait for something other than an approval.')
  withExamples(calls, ['calls list', 'calls answer CALL --result \'{"found": 3}\'', 'calls resolve CALL --done'])
  const list = calls
    .command('list')
    .description('List the calls of every run that are not over, those of the newest run first.')
    .addOption(new Option('--state <state...>', 'only calls in these states (default: the open ones)').choices(states))
    .action((options: { readonly state?: readonly CallState[] }, command: Command) =>
      registrar.run(command, async (context) => {
        const { callsListCommand } = await import('../commands/calls-list.ts')
        return callsListCommand(options, context)
      }),
    )
  withExamples(list, ['calls list', 'calls list --state Unknown --json'])
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
  const resolve = calls
    .command('resolve')
    .summary('say what became of a call in doubt')
    .description(
      'Say what became of a call that was under way when its process or its time ended, and go on with its run here. Look at what it changes first.',
    )
    .argument('<call>', 'call id')
    .option('--done', 'it took effect')
    .option('--not-done', 'it did not take effect')
    .option('--retry', 'carry it out once more: it did not take effect, or may do so again')
    .option('--result <json>', 'with --done: what the tool would have returned; the model is told it')
    .option('--reason <text>', 'how you know; kept with the call')
    .option('--by <who>', 'who says so (default: the principal)')
    .action((id: string, options: TypedFinding & ModelChoice, command: Command) =>
      registrar.run(command, async (context) => {
        const { callsResolveCommand } = await import('../commands/calls-resolve.ts')
        return callsResolveCommand(id, options, context)
      }),
    )
  for (const option of otherModelOptions()) resolve.addOption(option)
  withExamples(resolve, [
    'calls resolve CALL --done --result \'{"moved": true}\'',
    'calls resolve CALL --not-done --by ann --reason "the crate is still here"',
    'calls resolve CALL --retry',
  ])
}
