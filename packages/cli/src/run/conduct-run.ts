import type { Agent, CallRecord, RunResult, RunStream } from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { canAsk } from '../host.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { progressOn, type Progress } from '../output/progress.ts'
import type { Shown } from '../output/run-text.ts'
import { settlePending } from './settle-pending.ts'

/** A run that stopped, and what of it a person has already seen. */
export type ConductedRun = { readonly result: RunResult; readonly shown: Shown }

async function follow(stream: RunStream, progress: Progress): Promise<RunResult> {
  for await (const update of stream) progress.show(update)
  return stream.result
}

/**
 * Follows a run to its end, showing its progress. On a terminal a person is asked about each approval and the run goes
 * on with the answers; elsewhere nothing is waited for. The first Ctrl-C aborts the run in order.
 */
export async function conductRun(
  agent: Agent,
  context: CommandContext,
  options: {
    readonly start: (signal: AbortSignal) => RunStream
    /** False where the command line itself was the answer. */
    readonly mayAsk: boolean
    /** The calls of which the end of the command says why they failed, so that their lines need not. */
    readonly tellsFailureOf?: (call: CallRecord) => boolean
    /** What the run said before, so that it is not said again. */
    readonly earlierTexts?: readonly string[]
  },
): Promise<ConductedRun> {
  const { output, host } = context
  const interrupt = listenForInterrupt(() => output.note('Stopping the run. Press Ctrl-C again to leave at once.'))
  const { signal } = interrupt
  const progress = progressOn(output, {
    announceStart: host.stdout.isTerminal && !output.json,
    toldAtEnd: options.tellsFailureOf,
    earlier: options.earlierTexts ?? [],
  })
  const asked = new Set<string>()
  try {
    let result = await follow(options.start(signal), progress)
    let asking = options.mayAsk && canAsk(host) && !output.json
    while (asking && result.stopReason === 'approval_required' && !signal.aborted) {
      const { answered, asksAgain } = await settlePending(result, { agent, context, signal, asked })
      if (answered > 0) result = await follow(agent.resume(result.runId, { signal }), progress)
      asking = answered > 0 && asksAgain
    }
    return { result, shown: { text: progress.shownText(), requests: asked } }
  } finally {
    interrupt.dispose()
  }
}
