import type { Json } from '../json/json.ts'
import type { ResultItem } from '../ports/labels.ts'
import type { CallState } from './call-state.ts'

/** How an execution ended, in the words of the state machine. */
export type ExecutionOutcome = {
  readonly state: Extract<CallState, 'Succeeded' | 'Failed' | 'TimedOut' | 'Cancelled' | 'Unknown'>
  readonly status: 'success' | 'error'
  readonly data: Json
  /** `null`: to be made from the data. */
  readonly summary: string | null
  readonly errorCode: string | null
  readonly retryable: boolean
  readonly items: readonly ResultItem[]
}
