import type { RunRecord } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { codeCacheFolder } from '../config/code-cache.ts'
import { findConfig } from '../config/find-config.ts'
import { oneModel, type ModelChoice } from '../config/model-choice.ts'
import { CommandFailure, usageFailure } from '../exit.ts'
import { readStartedWith } from '../started-with.ts'
import { assembleAgent, type AssembledAgent } from './assemble-agent.ts'

/**
 * Makes the agent of a recorded run again, from what its record says it was started with; `--config` names another
 * file when the recorded one moved, or when the run was started by a program of your own, and `choice` another model.
 */
export async function reassembleAgent(
  run: RunRecord,
  choice: ModelChoice,
  context: CommandContext,
): Promise<AssembledAgent> {
  const { offline, model } = oneModel(choice)
  const recorded = readStartedWith(run.startedWith)
  const { workingDirectory } = context.host
  if (recorded === undefined && context.config === undefined) {
    throw usageFailure(
      `Run ${run.id} was not started by this command, so its configuration is not known here. Name it with --config FILE, or go on where it was started.`,
    )
  }
  const source =
    context.config === undefined && recorded !== undefined
      ? findConfig(workingDirectory, {
          config: recorded.config ?? undefined,
          example: recorded.example ?? undefined,
        })
      : findConfig(workingDirectory, { config: context.config })
  return assembleAgent({
    source,
    data: recorded?.data ?? null,
    offline: offline ?? (model === undefined && (recorded?.offline ?? false)),
    model: model ?? (offline === true ? null : (recorded?.model ?? null)),
    variables: context.host.variables,
    needsModel: run.kind === 'agent',
    principal: run.principal,
    environment: run.environment,
    storeFile: context.store.file,
    codeCache: codeCacheFolder(context.host.variables),
  })
}

/**
 * The same for a command that is about to record something: where the configuration cannot be found or used, it fails
 * saying that nothing was recorded and how to name another one.
 */
export async function reassembleBeforeRecording(
  run: RunRecord,
  choice: ModelChoice,
  context: CommandContext,
): Promise<AssembledAgent> {
  try {
    return await reassembleAgent(run, choice, context)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    const told = `${error.message} Nothing was recorded; --config FILE names another configuration for this run.`
    throw new CommandFailure(error.exit, told, { cause: error })
  }
}
