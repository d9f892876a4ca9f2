import { approvalDigest } from '../approval/approval-digest.ts'
import type { Approval } from '../approval/approval.ts'
import { isByRule } from '../approval/consult.ts'
import { FairleadError } from '../fairlead-error.ts'
import type { Json } from '../json/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { JournalEntry, Store } from '../ports/journal.ts'
import type { Labels } from '../ports/labels.ts'
import type { ObservationMapper } from '../ports/observation-mapper.ts'
import { isRecorded, type Recorder } from '../ports/recorder.ts'
import type { Tool } from '../tool/tool.ts'
import { AbortFan } from './abort-fan.ts'
import { answerCall } from './answer-call.ts'
import { runIdOf, type CallId } from './call-id.ts'
import type { CallRecord } from './call-record.ts'
import { LiveCall } from './live-call.ts'
import { normaliseResult } from './normalise-result.ts'
import { noteResolution } from './note-resolution.ts'
import { directObservation } from './observe.ts'
import { requestApproval } from './request-approval.ts'

/** What a person found out about a call in doubt. `by` names who says so. */
export type Resolution =
  /** It took effect; `result` is what the tool would have returned, where that is known. */
  | { readonly kind: 'done'; readonly by: string; readonly reason?: string; readonly result?: Json }
  | { readonly kind: 'notDone'; readonly by: string; readonly reason?: string }
  /** It did not take effect, or may take effect again: carry it out once more when its run goes on. */
  | { readonly kind: 'retry'; readonly by: string; readonly reason?: string }

/** What became of a resolution. Only `resolved` changed anything. */
export type ResolveVerdict =
  | { readonly kind: 'resolved'; readonly call: CallRecord; readonly isNoted: boolean }
  | { readonly kind: 'unknown'; readonly id: string }
  | { readonly kind: 'refused'; readonly call: CallRecord; readonly because: string }

export type ResolveOptions = {
  readonly clock: Clock
  readonly hash: Hash
  readonly ids: Ids
  readonly recorder?: Recorder | null
  /** What the model sees of a result a person tells, as of any other. */
  readonly observation?: ObservationMapper
  readonly labels?: Labels | null
  /** The tool of the call, needed to carry it out once more. */
  readonly tool?: Tool | null
  /** How long the consent to another attempt stands, in milliseconds. Default 24 hours. */
  readonly approvalTtlMs?: number
}

const day = 24 * 60 * 60 * 1000

/**
 * Settles a call in doubt, once, as a person says. A call the model has an answer to already keeps that answer: what was
 * found out is added to the conversation as a note, which is refused while a run of the conversation is not finished.
 * Nothing runs here; the run goes on when it is resumed. Rejects with `APPROVAL_REFUSED` for what is no resolution.
 */
export async function resolveCall(
  store: Store,
  id: CallId,
  resolution: Resolution,
  options: ResolveOptions,
): Promise<ResolveVerdict> {
  requireResolution(id, resolution)
  for (;;) {
    const record = (await store.journal.calls(runIdOf(id))).find((call) => call.id === id)
    if (record === undefined) return { kind: 'unknown', id }
    if (record.state !== 'Unknown') {
      return { kind: 'refused', call: record, because: `the call is not in doubt: it is ${record.state}` }
    }
    const call = LiveCall.stored(record, options.tool ?? null)
    const isNoted = record.result !== null
    const entries: JournalEntry[] = []
    const because = await settle(call, resolution, options, entries)
    if (because !== null) return { kind: 'refused', call: record, because }
    try {
      if (isNoted) {
        const tookEffect = resolution.kind === 'done'
        const note = await noteResolution(store, record, { tookEffect, by: resolution.by, at: options.clock.now() })
        if (note.kind === 'not-now') return { kind: 'refused', call: record, because: note.because }
        entries.push(note.entry)
      }
      if (!(await isRecorded(options.recorder, { call: call.handOut(), transitions: call.unsaved }))) {
        return { kind: 'refused', call: record, because: 'it could not be recorded' }
      }
      call.takeEntries(entries)
      await store.journal.append(entries)
      return { kind: 'resolved', call: call.handOut(), isNoted }
    } catch (error) {
      if (!(error instanceof JournalConflict)) throw error
      // Somebody else wrote first: look again.
    }
  }
}

/** Throws `APPROVAL_REFUSED` for what is no resolution of a call. It comes from outside. */
export function requireResolution(id: unknown, resolution: unknown): void {
  const fault = typeof id === 'string' ? faultOfResolution(resolution) : 'the id of the call must be a text'
  if (fault === null) return
  throw new FairleadError(
    'APPROVAL_REFUSED',
    `Not a resolution: ${fault}. Write resolveCall(callId, { kind: 'done', by: 'ann' }).`,
  )
}

/** What is wrong with a resolution, or `null`. */
function faultOfResolution(given: unknown): string | null {
  if (typeof given !== 'object' || given === null) return 'it must be an object'
  const { kind, by, reason } = given as { readonly [Key in keyof Resolution]: unknown }
  if (kind !== 'done' && kind !== 'notDone' && kind !== 'retry') return 'its kind must be "done", "notDone" or "retry"'
  if (typeof by !== 'string' || by.trim() === '' || isByRule(by)) return 'by must name who says so'
  if (reason !== undefined && typeof reason !== 'string') return 'its reason must be a text'
  return null
}

/** Moves the call; says why it cannot be moved, or `null`. */
async function settle(
  call: LiveCall,
  resolution: Resolution,
  options: ResolveOptions,
  entries: JournalEntry[],
): Promise<string | null> {
  const { clock } = options
  const { by, reason = null } = resolution
  const detail = { resolved: resolution.kind, by, ...(reason === null ? {} : { reason }) }
  const isAnswered = call.record.result !== null
  const setting = {
    ports: { clock, observation: options.observation ?? directObservation, labels: options.labels ?? null },
    scope: { fan: new AbortFan(undefined), remainingMs: () => null },
  }
  switch (resolution.kind) {
    case 'done': {
      const { envelope, items } = normaliseResult(resolution.result ?? null)
      call.move('Succeeded', clock.now(), detail)
      call.keepEvidence(envelope.data)
      if (isAnswered) call.move('Observed', clock.now(), null)
      else {
        const summary = envelope.data === null ? 'The call took effect; its result is not known.' : envelope.summary
        const shown = envelope.data === null ? [{ kind: 'text', text: summary ?? '' } as const] : items
        const outcome = {
          status: 'success',
          data: envelope.data,
          summary,
          errorCode: null,
          retryable: false,
          items: shown,
        } as const
        await answerCall(call, { kind: 'passed', outcome, latencyMs: 0, by }, setting)
      }
      return null
    }
    case 'notDone':
      call.move('Failed', clock.now(), { ...detail, errorCode: 'CANCELLED' })
      if (isAnswered) call.move('Observed', clock.now(), null)
      else {
        const outcome = {
          status: 'error',
          data: null,
          summary: 'The call did not take effect: a person looked.',
          errorCode: 'CANCELLED',
          retryable: true,
          items: [],
        } as const
        await answerCall(call, { kind: 'passed', outcome, latencyMs: 0, by }, setting)
      }
      return null
    case 'retry': {
      if (isAnswered) return 'the model has an answer to this call already; it can propose the call again'
      const { tool } = call
      const args = call.record.arguments
      if (tool === null || args === null)
        return `tool "${call.record.tool}" is not known here, so it cannot be carried out once more`
      const ports = { clock, ids: options.ids, hash: options.hash, approvalTtlMs: options.approvalTtlMs ?? day }
      const { contract } = tool
      const asked = requestApproval(call.record, { contract, arguments: args, askedBy: 'resolution', reason }, ports)
      const approval: Approval = {
        ...asked,
        digest: approvalDigest({ contract, arguments: args, sessionId: call.record.sessionId }, options.hash),
        status: 'approved',
        decidedBy: by,
        decidedAt: clock.now(),
        reason,
      }
      entries.push({ kind: 'approval-requested', approval })
      call.move('Approved', clock.now(), { ...detail, approval: approval.id }, { approvalId: approval.id })
      return null
    }
    default:
      return resolution satisfies never
  }
}
