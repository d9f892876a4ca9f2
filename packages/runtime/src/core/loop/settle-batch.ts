import type { Approval } from '../approval/approval.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { performBatch } from './perform-batch.ts'
import type { RunUpdate } from './run-update.ts'
import type { RunWriter } from './run-writer.ts'
import { stopPatch } from './stop-run.ts'

/** What became of a batch. */
export type SettledBatch =
  | { readonly kind: 'done'; readonly failed: boolean }
  | { readonly kind: 'waiting'; readonly reason: 'approval_required' | 'client_tool_required' }

/**
 * From a classified batch to its tool message. If one call needs a person, nothing of the batch runs yet; calls the
 * host answers itself wait while their siblings run.
 */
export async function* settleBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
  patch: Partial<RunRecord>,
): AsyncGenerator<RunUpdate, SettledBatch> {
  const { pipeline, writer, outbox } = setup
  const approvals = opened.flatMap((verdict): readonly Approval[] => (verdict.kind === 'ask' ? [verdict.approval] : []))
  if (approvals.length > 0) {
    // An unrecorded request still only waits: nothing ran, and its claim will be recorded or refused.
    await writer.commit({ calls, approvals, run: { ...patch, ...stopPatch(setup, 'approval_required') } })
    yield* outbox.take()
    return { kind: 'waiting', reason: 'approval_required' }
  }
  const client = calls.filter((_, index) => opened[index]?.kind === 'client')
  for (const call of client) pipeline.awaitClient(call)
  const ready = await admit(
    setup,
    calls.filter((_, index) => opened[index]?.kind === 'ready'),
  )
  yield* performBatch(setup, calls, ready, patch)
  if (client.length > 0) {
    await writer.commit({ run: stopPatch(setup, 'client_tool_required') })
    yield* outbox.take()
    return { kind: 'waiting', reason: 'client_tool_required' }
  }
  addToolMessage(writer, calls)
  yield* outbox.take()
  return { kind: 'done', failed: calls.some(countsAsError) }
}

/** Answers the calls that are over a limit; gives back those that may start. Counted now, so that none slips through. */
async function admit(setup: LoopSetup, ready: readonly LiveCall[]): Promise<readonly LiveCall[]> {
  const { pipeline, limits, writer } = setup
  const { maxFunctionCalls } = limits
  const left =
    maxFunctionCalls?.mode === 'hard'
      ? Math.max(0, maxFunctionCalls.limit - writer.run.calls)
      : Number.POSITIVE_INFINITY
  const admitted: LiveCall[] = []
  for (const call of ready) {
    const over =
      admitted.length >= left ? `The run may make ${maxFunctionCalls?.limit ?? 0} calls.` : pipeline.admit(call)
    if (over === null) admitted.push(call)
    else await pipeline.rejectOverBudget(call, over)
  }
  return admitted
}

/** The results of a batch, in the order of its calls, as one message. */
export function addToolMessage(writer: RunWriter, calls: readonly LiveCall[]): void {
  const parts: ContentPart[] = []
  for (const call of calls) if (call.record.result !== null) parts.push(call.record.result.answer)
  writer.addMessage({ role: 'tool', parts })
}

/** A person's refusal is an answer, not an error of the model or the tool. */
function countsAsError(call: LiveCall): boolean {
  const { result } = call.record
  if (result === null || result.status === 'success') return false
  return result.errorCode !== 'APPROVAL_DENIED' && result.errorCode !== 'APPROVAL_EXPIRED'
}
