import type { Approval } from '../approval/approval.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { LoopSetup } from './loop-setup.ts'
import { performBatch } from './perform-batch.ts'
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
export async function settleBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
  patch: Partial<RunRecord>,
): Promise<SettledBatch> {
  const { pipeline, writer } = setup
  const asked: Approval[] = []
  const client: LiveCall[] = []
  const ready: LiveCall[] = []
  for (const [index, verdict] of opened.entries()) {
    const call = calls[index]
    if (call === undefined) continue
    if (verdict.kind === 'ask') asked.push(verdict.approval)
    else if (verdict.kind === 'client') client.push(call)
    else if (verdict.kind === 'ready') ready.push(call)
  }
  if (asked.length > 0) {
    // An unrecorded request still only waits: nothing ran, and its claim will be recorded or refused.
    await writer.commit({ calls, approvals: asked, run: { ...patch, ...stopPatch(setup, 'approval_required') } })
    return { kind: 'waiting', reason: 'approval_required' }
  }
  for (const call of client) pipeline.awaitClient(call)
  const surplus = surplusOf(setup, ready)
  for (const { call, because } of surplus) await pipeline.rejectOverBudget(call, because)
  const admitted = surplus.length === 0 ? ready : ready.filter((call) => call.state !== 'Observed')
  await performBatch(setup, calls, admitted, patch)
  if (client.length > 0) {
    await writer.commit({ run: stopPatch(setup, 'client_tool_required') })
    return { kind: 'waiting', reason: 'client_tool_required' }
  }
  addToolMessage(writer, calls)
  return { kind: 'done', failed: calls.some((call) => countsAsError(call.record)) }
}

/** The calls that are over a limit, and which. Counted now, in order, so that none slips through beside another. */
function surplusOf(
  setup: LoopSetup,
  ready: readonly LiveCall[],
): readonly { readonly call: LiveCall; readonly because: string }[] {
  const { pipeline, limits, writer } = setup
  const { maxFunctionCalls } = limits
  const hard = maxFunctionCalls?.mode === 'hard' ? maxFunctionCalls.limit : null
  let left = hard === null ? Number.POSITIVE_INFINITY : Math.max(0, hard - writer.run.calls)
  const surplus: { readonly call: LiveCall; readonly because: string }[] = []
  for (const call of ready) {
    const because = left <= 0 ? `The run may make ${hard ?? 0} calls.` : pipeline.admit(call)
    if (because === null) left--
    else surplus.push({ call, because })
  }
  return surplus
}

/** The results of a batch, in the order of its calls, as one message. */
export function addToolMessage(writer: RunWriter, calls: readonly LiveCall[]): void {
  const parts: ContentPart[] = []
  for (const call of calls) if (call.record.result !== null) parts.push(call.record.result.answer)
  writer.addMessage({ role: 'tool', parts })
}

/** A person's refusal is an answer, not an error of the model or the tool. */
export function countsAsError({ result }: CallRecord): boolean {
  if (result === null || result.status === 'success') return false
  return result.errorCode !== 'APPROVAL_DENIED' && result.errorCode !== 'APPROVAL_EXPIRED'
}
