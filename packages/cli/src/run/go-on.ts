import { runIdOf, type Agent, type CallId, type RunRecord, type RunStream, type Store } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import type { AssembledAgent } from './assemble-agent.ts'
import { conductRun } from './conduct-run.ts'
import { earlierTexts } from './earlier-texts.ts'
import { finishRun } from './finish-run.ts'
import { callExit, recordedCall } from './recorded-call.ts'

/** How a recorded run goes on. */
export type GoOn = {
  readonly store: Store
  readonly assembled: AssembledAgent
  readonly mayAsk: boolean
  /** Default: `agent.resume`. */
  readonly start?: (agent: Agent, signal: AbortSignal) => RunStream
  /**
   * The call that was meant to run: where it fails, so does the command. Left out: the one call of a `tools call` run;
   * `null`: none.
   */
  readonly callMustSucceed?: CallId | null
}

/** Goes on with a recorded run in this process and prints what came of it. Throws `RUN_BUSY` when another process has it. */
export async function goOn(run: RunRecord, context: CommandContext, way: GoOn): Promise<ExitCode> {
  const { store, assembled, mayAsk, callMustSucceed } = way
  const { output } = context
  const agent = assembled.agent.with({ store })
  if (run.kind === 'agent' && agent.model?.notice !== undefined) {
    output.progress(`${output.colours.cyan('i')} ${visibleLine(agent.model.notice)}\n`)
  }
  const start = way.start ?? ((resumed, signal) => resumed.resume(run.id, { signal }))
  const conducted = await conductRun(agent, context, {
    mayAsk,
    start: (signal) => start(agent, signal),
    tellsFailureOf: ({ id }) => (callMustSucceed === undefined ? run.kind === 'call' : id === callMustSucceed),
    // Whoever decides has read what the run said before.
    earlierTexts: mayAsk ? [] : await earlierTexts(run, store),
  })
  const exit = await finishRun(conducted, assembled, { store, context })
  if (callMustSucceed === null || (callMustSucceed === undefined && run.kind !== 'call')) return exit
  // A call of an agent inside one of its calls belongs to a run of its own.
  const runId = callMustSucceed === undefined ? run.id : runIdOf(callMustSucceed)
  return callExit(await recordedCall(runId, store, callMustSucceed), exit, output)
}
