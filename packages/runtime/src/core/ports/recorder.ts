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

/** Tells the recorder of one step beside a run; false when it refused, for whatever reason. */
export async function isRecorded(recorder: Recorder | null | undefined, step: RecordedStep): Promise<boolean> {
  try {
    await recorder?.record([step])
    return true
  } catch {
    return false
  }
}
