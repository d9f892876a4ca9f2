import type { Approval } from '../approval/approval.ts'
import type { CallRecord } from '../call/call-record.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { Opened } from '../call/stage-ports.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { LoopSetup } from './loop-setup.ts'
import { performBatch, type Batch } from './perform-batch.ts'
import type { RunPatch } from './run-patch.ts'
import type { RunWriter } from './run-writer.ts'
import { stopPatch, withStop } from './stop-run.ts'

/** What became of a batch. */
export type SettledBatch =
  | { readonly kind: 'done'; readonly failed: boolean }
  | { readonly kind: 'waiting'; readonly reason: 'approval_required' | 'client_tool_required' }

/**
 * From a classified batch to its tool message. If one call needs a person, nothing of the batch runs yet; calls the
 * host answers itself wait while their siblings run.
 */
export function settleBatch(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
  patch: RunPatch,
): Promise<SettledBatch> {
  if (opened.every((verdict) => verdict.kind === 'ready')) {
    return runReady(setup, { calls, ready: calls, patch }, () => doneBatch(setup, calls))
  }
  const asked = approvalsAsked(opened)
  return asked.length > 0 ? waitForApprovals(setup, calls, asked, patch) : settleMixed(setup, calls, opened, patch)
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

/** Some calls are answered already, some are the host's to answer. */
async function settleMixed(
  setup: LoopSetup,
  calls: readonly LiveCall[],
  opened: readonly Opened[],
  patch: RunPatch,
): Promise<SettledBatch> {
  const client = callsOf('client', calls, opened)
  for (const call of client) setup.pipeline.awaitClient(call)
  const ready = callsOf('ready', calls, opened)
  if (client.length === 0) return await runReady(setup, { calls, ready, patch }, () => doneBatch(setup, calls))
  await runReady(setup, { calls, ready, patch }, () => undefined)
  await setup.writer.commit({ run: stopPatch(setup, 'client_tool_required') })
  return { kind: 'waiting', reason: 'client_tool_required' }
}

function runReady<T>(setup: LoopSetup, batch: Batch, finish: () => T): Promise<T> {
  const surplus = surplusOf(setup, batch.ready)
  return surplus.length === 0 ? performBatch(setup, batch, finish) : runWithout(surplus, setup, batch, finish)
}

/** Answers the calls over a limit first; the others run. */
async function runWithout<T>(
  surplus: readonly Surplus[],
  setup: LoopSetup,
  { calls, ready, patch }: Batch,
  finish: () => T,
): Promise<T> {
  for (const { call, because } of surplus) await setup.pipeline.rejectOverBudget(call, because)
  const left = ready.filter((call) => !call.isAnswered)
  return performBatch(setup, { calls, ready: left, patch }, finish)
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

/** The calls with a verdict of one kind; most often that is all of them, or none. */
function callsOf(kind: Opened['kind'], calls: readonly LiveCall[], opened: readonly Opened[]): readonly LiveCall[] {
  if (opened.every((verdict) => verdict.kind === kind)) return calls
  return opened.some((verdict) => verdict.kind === kind)
    ? calls.filter((_, index) => opened[index]?.kind === kind)
    : none
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
