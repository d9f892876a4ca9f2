import type { ApprovalStatus } from '@fairlead/runtime/core'
import { Option, type Command } from 'commander'
import type { TypedRemember } from '../commands/approvals-decide.ts'
import type { ModelChoice } from '../config/model-choice.ts'
import { otherModelOptions } from './config-options.ts'
import type { Registrar } from './registrar.ts'
import { addRulesCommands } from './rules-commands.ts'
import { withExamples } from './with-examples.ts'

const statuses: readonly (ApprovalStatus | 'all')[] = ['pending', 'approved', 'denied', 'expired', 'superseded', 'all']

type ApproveOptions = ModelChoice &
  TypedRemember & { readonly args?: string; readonly by?: string; readonly reason?: string }

/** Adds `approvals list`, `show`, `approve`, `deny` and `rules`. */
export function addApprovalsCommands(program: Command, registrar: Registrar): void {
  const approvals = program
    .command('approvals')
    .summary('decide the calls that wait for a person')
    .description('Decide the calls that wait for a person.')
  withExamples(approvals, ['approvals list', 'approvals approve ID --by ann'])
  const list = approvals
    .command('list')
    .description('List approval requests, the oldest first.')
    .addOption(new Option('--status <status>', 'only these, or all').choices(statuses).default('pending'))
    .action((options: { readonly status: ApprovalStatus | 'all' }, command: Command) =>
      registrar.run(command, async (context) => {
        const { approvalsListCommand } = await import('../commands/approvals-list.ts')
        return approvalsListCommand(options.status, context)
      }),
    )
  withExamples(list, ['approvals list', 'approvals list --status all --json'])
  const show = approvals
    .command('show')
    .description('Show one request as a person needs it to decide, and what became of it.')
    .argument('<id>', 'request id')
    .action((id: string, _options: unknown, command: Command) =>
      registrar.run(command, async (context) => {
        const { approvalsShowCommand } = await import('../commands/approvals-show.ts')
        return approvalsShowCommand(id, context)
      }),
    )
  withExamples(show, ['approvals show ID'])
  const approve = approvals
    .command('approve')
    .description('Approve a request and go on with its run here.')
    .argument('<id>', 'request id')
    .option('--args <json>', 'approve these arguments in place of those asked about, all of them, as a JSON object')
    .addOption(
      new Option(
        '--remember <what>',
        'approve from now on any call of this tool, or calls with exactly these arguments',
      ).choices(['tool', 'arguments']),
    )
    .addOption(
      new Option(
        '--scope <where>',
        'where that counts: this conversation (default), or everywhere for this user',
      ).choices(['session', 'user']),
    )
    .option('--expires <when>', 'how long that counts: 30m, 8h, 7d or a time in RFC 3339 (default: until revoked)')
    .option('--reason <text>', 'why; kept with the decision')
    .option('--by <who>', 'who decides (default: the principal)')
    .action((id: string, options: ApproveOptions, command: Command) =>
      registrar.run(command, async (context) => {
        const { approvalsDecideCommand } = await import('../commands/approvals-decide.ts')
        const { by, reason, args, remember, scope, expires } = options
        const decision = { id, approved: true, by, reason, args, remember: { remember, scope, expires } }
        return approvalsDecideCommand(decision, options, context)
      }),
    )
  for (const option of otherModelOptions()) approve.addOption(option)
  withExamples(approve, [
    'approvals approve ID --by ann',
    'approvals approve ID --remember tool --scope user --expires 8h',
    'approvals approve ID --args \'{"title": "Checkout is slow"}\'',
  ])
  const deny = approvals
    .command('deny')
    .description('Refuse a request and go on with its run here. The model is told the reason.')
    .argument('<id>', 'request id')
    .requiredOption('--reason <text>', 'why not; required, the model is told it')
    .option('--by <who>', 'who decides (default: the principal)')
    .action((id: string, options: ModelChoice & { readonly by?: string; readonly reason: string }, command: Command) =>
      registrar.run(command, async (context) => {
        const { approvalsDecideCommand } = await import('../commands/approvals-decide.ts')
        return approvalsDecideCommand({ id, approved: false, by: options.by, reason: options.reason }, options, context)
      }),
    )
  for (const option of otherModelOptions()) deny.addOption(option)
  withExamples(deny, ['approvals deny ID --reason "not before Monday" --by ann'])
  addRulesCommands(approvals, registrar)
}
