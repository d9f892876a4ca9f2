import type { Command } from 'commander'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

/** Adds `approvals rules list` and `revoke` to the group of approvals. */
export function addRulesCommands(approvals: Command, registrar: Registrar): void {
  const rules = approvals
    .command('rules')
    .summary('look at what is approved without asking again')
    .description('Look at what a person said to approve from now on, and take it back.')
  withExamples(rules, ['approvals rules list', 'approvals rules revoke RULE'])
  const list = rules
    .command('list')
    .description('List the standing rules in force, the oldest first.')
    .option('--all', 'also those that were revoked or whose time is over')
    .action((options: { readonly all?: boolean }, command: Command) =>
      registrar.run(command, async (context) => {
        const { rulesListCommand } = await import('../commands/rules-list.ts')
        return rulesListCommand(options, context)
      }),
    )
  withExamples(list, ['approvals rules list', 'approvals rules list --all --json'])
  const revoke = rules
    .command('revoke')
    .description('End a standing rule: such calls ask again from now on.')
    .argument('<rule>', 'rule id')
    .option('--by <who>', 'who ends it (default: the principal)')
    .action((id: string, options: { readonly by?: string }, command: Command) =>
      registrar.run(command, async (context) => {
        const { rulesRevokeCommand } = await import('../commands/rules-revoke.ts')
        return rulesRevokeCommand(id, options, context)
      }),
    )
  withExamples(revoke, ['approvals rules revoke RULE --by ann'])
}
