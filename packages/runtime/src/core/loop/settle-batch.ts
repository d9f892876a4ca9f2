import type { Approval } from '../approval/approval.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { Granted } from './grant-approvals.ts'
import type { LoopSetup } from './loop-setup.ts'
import type { BatchWait } from './batch-wait.ts'
import { performBatch, type Batch } from './perform-batch.ts'
import type { RunPatch } from './run-patch.ts'
import type { RunWriter } from './run-writer.ts'
import { withStop } from './stop-run.ts'
import { isDeclarationOnly } from '../tool/tool.ts'

/** What became of a batch. */
export type SettledBatch =
  | { readonly kind: 'done'; readonly failed: boolean }
  | { readonly kind: 'waiting'; readonly reason: Exclude<BatchWait, null> }

/**
 * From a classified batch to its tool message. If one call needs a person, nothing of the batch runs yet; calls the
 * host answers itself wait while their siblings run.
 */
export function settleBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  { opened, granted }: Granted,
  patch: RunPatch,
): Promise<SettledBatch> {
  const asked = approvalsAsked(opened)
  if (asked.length > 0) {
    return waitForApprovals(setup, calls, [...granted, ...asked, ...askedAlong(setup, calls, opened)], patch)
  }
  const ready = opened.every(goesOn) ? calls : calls.filter((_, index) => goesOn(opened[index]))
  const batch: Batch = { calls, ready, patch, granted, isPending: opened.some(isPending) }
  const surplus = surplusOf(setup, ready)
  return surplus.length === 0 ? run(setup, batch) : runWithout(surplus, setup, batch)
}

function isPending(verdict: Opened): boolean {
  return verdict.kind === 'pending'
}

/** Decided, and neither answered nor waiting for a person. */
function goesOn(verdict: Opened | undefined): boolean {
  return verdict?.kind === 'ready' || verdict?.kind === 'client'
}

function run(setup: LoopSetup, batch: Batch): Promise<SettledBatch> {
  return performBatch(setup, batch, (reason) =>
    reason === null ? doneBatch(setup, batch.calls) : { kind: 'waiting', reason },
  )
}

async function waitForApprovals(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  approvals: readonly Approval[],
  patch: RunPatch,
): Promise<SettledBatch> {
  // An unrecorded request still only waits: nothing ran, and its claim will be recorded or refused.
  await setup.writer.commit({ calls, approvals, run: withStop(setup, 'approval_required', patch) })
  return { kind: 'waiting', reason: 'approval_required' }
}

/** Where a run has no conversation to come back to, the calls that need nobody are shown too. */
function askedAlong(setup: LoopSetup, calls: readonly LiveCall[], opened: readonly Opened[]): readonly Approval[] {
  if (!setup.writer.run.showsWholeBatch) return none
  return calls.flatMap((call, index): readonly Approval[] => {
    const approval = opened[index]?.kind === 'ready' ? setup.pipeline.askAlong(call) : null
    return approval === null ? none : [approval]
  })
}

/** Answers the calls over a limit first; the others run. */
async function runWithout(surplus: readonly Surplus[], setup: LoopSetup, batch: Batch): Promise<SettledBatch> {
  for (const { call, because } of surplus) await setup.pipeline.rejectOverBudget(call, because)
  return await run(setup, { ...batch, ready: batch.ready.filter((call) => !call.isAnswered) })
}

function doneBatch(setup: LoopSetup, calls: readonly LiveCall[]): SettledBatch {
  addToolMessage(setup.writer, calls)
  return calls.some((call) => countsAsError(call.record)) ? failedBatch : cleanBatch
}

const cleanBatch: SettledBatch = { kind: 'done', failed: false }
const failedBatch: SettledBatch = { kind: 'done', failed: true }
const none: readonly never[] = []

function approvalsAsked(opened: readonly Opened[]): readonly Approval[] {
  if (!opened.some((verdict) => verdict.kind === 'ask')) return none
  return opened.flatMap((verdict): readonly Approval[] => (verdict.kind === 'ask' ? [verdict.approval] : none))
}

type Surplus = { readonly call: LiveCall; readonly because: string }

/** The calls that are over a limit, and which. Counted now, in order, so that none slips through beside another. */
function surplusOf(setup: LoopSetup, ready: readonly LiveCall[]): readonly Surplus[] {
  const { pipeline, limits, writer } = setup
  const { maxFunctionCalls } = limits
  let surplus: Surplus[] | null = null
  const hard = maxFunctionCalls?.mode === 'hard' ? maxFunctionCalls.limit : null
  let left = hard === null ? Number.POSITIVE_INFINITY : Math.max(0, hard - writer.run.calls)
  for (const call of ready) {
    // The host's own calls are no work of ours.
    if (call.tool !== null && isDeclarationOnly(call.tool)) continue
    // Counted when it began: it only goes on.
    if (call.state === 'Retried') continue
    const because = left <= 0 ? `The run may make ${hard ?? 0} calls.` : pipeline.admit(call)
    if (because === null) left--
    else (surplus ??= []).push({ call, because })
  }
  return surplus ?? none
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
