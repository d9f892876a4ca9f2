import type { Approval, CallId, CallRecord, RunRecord } from '@fairlead/runtime/core'

/** Everything a store knows of a run, as `trace show` tells it. */
export type Trace = {
  readonly run: RunRecord
  /** In the order they were proposed. */
  readonly calls: readonly CallRecord[]
  /** The run's requests as they stand now, the oldest first. */
  readonly approvals: readonly Approval[]
  /** What tools threw that no model was told, by call. */
  readonly thrown: ReadonlyMap<CallId, string>
}
