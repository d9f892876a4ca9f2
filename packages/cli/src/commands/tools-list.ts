import type { ToolContract } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { exitCode, type ExitCode } from '../exit.ts'
import { table } from '../output/table.ts'
import { approvalNeedOf, toolJson } from '../output/tool-json.ts'
import { visibleLine } from '../output/visible-text.ts'
import { assembleNamedAgent } from '../run/assemble-named-agent.ts'

/** Which configuration a tools command looks at. */
export type ToolsOptions = { readonly example?: string | undefined; readonly data?: string | undefined }

function toolsTable(tools: readonly ToolContract[]): string {
  const rows = tools.map((contract) => [
    visibleLine(contract.name),
    contract.effects,
    contract.risk,
    approvalNeedOf(contract),
    visibleLine(contract.origin),
    visibleLine(contract.description, 80),
  ])
  return table(['TOOL', 'EFFECTS', 'RISK', 'APPROVAL', 'ORIGIN', 'DESCRIPTION'], rows)
}

/** `fairlead tools list`: the contracts of the configured agent's tools. Writes nothing anywhere. */
export async function toolsListCommand(options: ToolsOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context
  const { agent } = await assembleNamedAgent(options, context, { needsModel: false })
  const tools = agent.tools()
  output.document({ items: tools.map(toolJson) })
  output.result(tools.length === 0 ? 'The agent has no tools.' : toolsTable(tools))
  return exitCode.ok
}
