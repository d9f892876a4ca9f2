import type { CommandContext } from '../command-context.ts'
import { codeCacheFolder, isCompiled } from '../config/code-cache.ts'
import { findConfig } from '../config/find-config.ts'
import { assembleAgent, type AssembledAgent } from './assemble-agent.ts'
import { dataDirectory } from './data-directory.ts'

/** Which agent the command line names, and how it shall run; what is left out is found or falls to its default. */
export type NamedAgent = {
  readonly example?: string | undefined
  readonly data?: string | undefined
  readonly offline?: boolean | undefined
  readonly model?: string | undefined
}

/** Makes the agent a command line names. A fault of the options or of the configuration is a usage failure. */
export async function assembleNamedAgent(
  named: NamedAgent,
  context: CommandContext,
  { needsModel }: { readonly needsModel: boolean },
): Promise<AssembledAgent> {
  const { workingDirectory, variables } = context.host
  const source = findConfig(workingDirectory, { config: context.config, example: named.example })
  const codeCache = codeCacheFolder(variables)
  if (source.kind === 'example' && codeCache !== false && !isCompiled(source.file, codeCache)) {
    context.output.note(`Compiling the example ${source.name} for the first time; this takes some seconds, once.`)
  }
  const assembled = await assembleAgent({
    source,
    data: dataDirectory(named.data, workingDirectory),
    offline: named.offline ?? false,
    model: named.model ?? null,
    variables,
    needsModel,
    principal: context.principal,
    environment: context.environment,
    storeFile: context.store.file,
    codeCache,
  })
  if (assembled.ignoresData) context.output.note('--data was given, but this configuration does not use it.')
  return assembled
}
