/** Fairlead's id of one call: unique in a store, the same again when a run is resumed. */
export type CallId = string & { readonly __brand: 'CallId' }

/** The id of the call at `index` (from 0) of model turn `turn` (from 1) of a run. The one constructor of call ids. */
export function callIdOf(runId: string, turn: number, index: number): CallId {
  return `call_${runId.slice(runId.indexOf('_') + 1)}_${turn}_${index}` as CallId
}

/** The run a call belongs to. */
export function runIdOf(callId: CallId): string {
  return `run_${callId.replace(/^call_/, '').replace(/_\d+_\d+$/, '')}`
}

/** Where a call's full result is kept. */
export function evidenceUriOf(runId: string, callId: CallId): string {
  return `evidence://${runId}/${callId}`
}
