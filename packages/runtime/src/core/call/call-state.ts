/** Where a call stands. */
export type CallState =
  | 'Requested'
  | 'Validated'
  | 'PolicyChecked'
  | 'NeedsApproval'
  | 'Approved'
  | 'AwaitingClient'
  | 'Executing'
  | 'Failed'
  | 'TimedOut'
  | 'Unknown'
  | 'Retried'
  | 'Succeeded'
  | 'Rejected'
  | 'Denied'
  | 'Expired'
  | 'Cancelled'
  | 'Compensated'
  | 'Observed'

/**
 * The legal transitions of a call, as data. Everything that happens to a call is a walk over this table;
 * every pair that is not here is refused. (Source: design, "The one idea".)
 */
export const legalTransitions: { readonly [State in CallState]: readonly CallState[] } = {
  Requested: ['Validated', 'Rejected', 'Cancelled'],
  Validated: ['PolicyChecked', 'Rejected', 'Cancelled'],
  PolicyChecked: ['NeedsApproval', 'Executing', 'AwaitingClient', 'Validated', 'Rejected', 'Cancelled'],
  NeedsApproval: ['Approved', 'Denied', 'Expired', 'Validated', 'Cancelled'],
  Approved: ['Executing', 'AwaitingClient', 'Validated', 'Rejected', 'Expired', 'NeedsApproval', 'Cancelled'],
  AwaitingClient: ['Succeeded', 'Failed', 'Expired', 'Cancelled'],
  Executing: ['Succeeded', 'Failed', 'TimedOut', 'Cancelled', 'Unknown'],
  Failed: ['Retried', 'Compensated', 'Observed'],
  TimedOut: ['Retried', 'Compensated', 'Unknown', 'Observed'],
  Unknown: ['Succeeded', 'Failed', 'Approved', 'Compensated', 'Observed'],
  Retried: ['Executing', 'Cancelled', 'Rejected'],
  Succeeded: ['Observed', 'Compensated'],
  Rejected: ['Observed'],
  Denied: ['Observed'],
  Expired: ['Observed'],
  Cancelled: ['Observed'],
  Compensated: ['Observed'],
  Observed: [],
}

/** Every state, in the order of the picture. */
export const callStates: readonly CallState[] = Object.keys(legalTransitions) as CallState[]

/** The next state if the table allows the step, else `undefined`. Pure: the only judge of transitions. */
export function advance(from: CallState, to: CallState): CallState | undefined {
  return legalTransitions[from].includes(to) ? to : undefined
}
