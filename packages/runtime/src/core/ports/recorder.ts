import type { CallRecord, Transition } from '../call/call-record.ts'

/** Transitions of one call, told before their effect. */
export type RecordedStep = { readonly call: CallRecord; readonly transitions: readonly Transition[] }

/**
 * Hears of every transition before its effect (the seam of the audit). If it throws or rejects before an
 * execution, the call does not run.
 */
export interface Recorder {
  record(steps: readonly RecordedStep[]): void | Promise<void>
}
