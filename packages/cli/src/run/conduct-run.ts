import {
  decideApproval,
  type Agent,
  type CallRecord,
  type RunResult,
  type RunStream,
  type Store,
} from '@fairlead/runtime/core'
import type { CommandContext } from '../command-context.ts'
import { canAsk } from '../host.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { settlementText } from '../output/approval-card.ts'
import { progressOn, type Progress } from '../output/progress.ts'
import type { Shown } from '../output/run-text.ts'
import { askApproval } from './ask-approval.ts'

/** A run that stopped, and what of it a person has already seen. */
export type ConductedRun = { readonly result: RunResult; readonly shown: Shown }

async function follow(stream: RunStream, progress: Progress): Promise<RunResult> {
  for await (const update of stream) progress.show(update)
  return stream.result
}

/** Asks about each pending request in turn and records the answers; tells whether every one was answered. */
async function settlePending(
  result: RunResult,
  context: CommandContext,
  options: { readonly store: Store; readonly signal: AbortSignal; readonly asked: Set<string> },
): Promise<{ readonly answered: number; readonly left: number }> {
  const { output, host } = context
  const { store, signal, asked } = options
  let answered = 0
  for (const approval of result.approvals) {
    asked.add(approval.id)
    const answer = await askApproval(approval, output, {
      justRead: result.text,
      now: host.clock.now(),
      terminal: host.terminal,
      signal,
    })
    if (answer.kind === 'later') continue
    const decision = await decideApproval(
      store,
      {
        id: approval.id,
        approved: answer.kind === 'approve',
        by: context.principal.id,
        ...(answer.kind === 'deny' ? { reason: answer.reason } : {}),
      },
      { clock: host.clock },
    )
    if (decision.kind === 'already' || decision.kind === 'expired') {
      output.note(`Request ${approval.id} was settled meanwhile: ${settlementText(decision.approval)}.`)
    }
    answered += 1
  }
  return { answered, left: result.approvals.length - answered }
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
      const { answered, left } = await settlePending(result, context, { store: agent.store, signal, asked })
      if (answered > 0) result = await follow(agent.resume(result.runId, { signal }), progress)
      asking = answered > 0 && left === 0
    }
    return { result, shown: { text: progress.shownText(), requests: asked } }
  } finally {
    interrupt.dispose()
  }
}
