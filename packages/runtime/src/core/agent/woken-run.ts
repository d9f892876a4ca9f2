import { FairleadError } from '../fairlead-error.ts'
import { JournalConflict } from '../ports/journal-conflict.ts'
import type { RunResult } from './run-result.ts'

/** A run that stopped for a person though no request is open any more: all was decided while it was about to stop. */
export function isDecidedMeanwhile({ stopReason, approvals }: RunResult): boolean {
  return stopReason === 'approval_required' && approvals.length === 0
}

/** Somebody's decision was written just before what this drive had found out of the same request. Nothing ran of it. */
export function isLostToDecision(error: unknown): boolean {
  return error instanceof JournalConflict && (error.entry === 'approval-decided' || error.entry === 'call-moved')
}

/** Somebody else goes on with the run, or has already. */
export function isTakenElsewhere(error: unknown): boolean {
  return error instanceof FairleadError && (error.code === 'RUN_BUSY' || error.code === 'RUN_ENDED')
}
