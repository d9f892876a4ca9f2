import type { Command } from 'commander'
import { dataOption, exampleOption } from './config-options.ts'
import type { Registrar } from './registrar.ts'
import { withExamples } from './with-examples.ts'

type Options = { readonly example?: string; readonly data?: string }

/** Adds `tools list` and `tools call`. */
export function addToolsCommands(program: Command, registrar: Registrar): void {
  const tools = program
    .command('tools')
    .summary('look at tools, or call one')
    .description('Look at the tools of the configured agent, or call one.')
  withExamples(tools, ['tools list', 'tools call get_service_status --args \'{"service": "checkout"}\''])
  const list = tools
    .command('list')
    .description('List the tools and their contracts.')
    .addOption(exampleOption())
    .addOption(dataOption())
    .action((options: Options, command: Command) =>
      registrar.run(command, async (context) => {
        const { toolsListCommand } = await import('../commands/tools-list.ts')
        return toolsListCommand(options, context)
      }),
    )
  withExamples(list, ['tools list', 'tools list --example incident-diagnosis --json'])
  const call = tools
    .command('call')
    .description("Call one tool yourself, down the same pipeline as a model's call.")
    .argument('<name>', 'tool name')
    .option('--args <json>', 'arguments as a JSON object', '{}')
    .addOption(exampleOption())
    .addOption(dataOption())
    .action((name: string, options: Options & { readonly args: string }, command: Command) =>
      registrar.run(command, async (context) => {
        const { toolsCallCommand } = await import('../commands/tools-call.ts')
        return toolsCallCommand(name, options, context)
      }),
    )
  withExamples(call, ['tools call get_service_status --args \'{"service": "checkout"}\''])
}
