import type { Agent, Session } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { oneModel, type ModelChoice } from '../config/model-choice.ts'
import { usageFailure, type ExitCode } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import { assembleNamedAgent } from '../run/assemble-named-agent.ts'
import { conductRun } from '../run/conduct-run.ts'
import { finishRun } from '../run/finish-run.ts'
import { readPromptFrom } from '../run/read-prompt-from.ts'
import { startedWithJson } from '../started-with.ts'
import { openStore } from '../store-location.ts'

/** The options of `fairlead run` beside the common ones. */
export type RunCommandOptions = ModelChoice & {
  readonly example?: string | undefined
  readonly data?: string | undefined
  readonly session?: string | undefined
}

/** `fairlead run`: asks the agent, shows its calls, and ends with its answer or the approvals it waits for. */
export async function runCommand(
  typed: string | undefined,
  options: RunCommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const prompt = typed === '-' ? await readPromptFrom(context.host) : typed
  if (prompt === undefined || prompt.trim() === '') {
    throw usageFailure(
      'There is no prompt. Give it as one word of the command line: fairlead run "Why is checkout slow?"',
    )
  }
  oneModel(options)
  const { output, principal, environment } = context
  const assembled = await assembleNamedAgent(options, context, { needsModel: true })
  await using opened = await openStore(context.store)
  const agent = assembled.agent.with({ store: opened.store })
  const session = await storedSession(agent, options.session)
  if (agent.model?.notice !== undefined)
    output.progress(`${output.colours.cyan('i')} ${visibleLine(agent.model.notice)}\n`)
  const startedWith = startedWithJson(assembled.startedWith)
  const run = await conductRun(agent, context, {
    mayAsk: true,
    start: (signal) => agent.stream(prompt, { session, principal, environment, signal, startedWith }),
  })
  return await finishRun(run, assembled, { store: opened.store, context })
}

/** The conversation `--session` names, or a new one. One that is not stored is a usage failure: a slip, not a wish. */
async function storedSession(agent: Agent, id: string | undefined): Promise<Session> {
  if (id !== undefined && (await agent.store.sessions.get(id)) === undefined) {
    throw usageFailure(
      `There is no conversation ${JSON.stringify(id)} in this store. Run without --session to begin one.`,
    )
  }
  return agent.session(id)
}
