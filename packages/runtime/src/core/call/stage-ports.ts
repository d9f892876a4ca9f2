import type { Approval } from '../approval/approval.ts'
import type { Clock } from '../ports/clock.ts'
import type { Executor } from '../ports/executor.ts'
import type { Hash } from '../ports/hash.ts'
import type { Ids } from '../ports/ids.ts'
import type { Ambient } from '../ports/ambient.ts'
import type { Journal } from '../ports/journal.ts'
import type { Labels } from '../ports/labels.ts'
import type { ObservationMapper } from '../ports/observation-mapper.ts'
import type { Policy } from '../ports/policy.ts'
import type { Recorder } from '../ports/recorder.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { InvocationContext } from './invocation-context.ts'

/** Everything of the outside the pipeline works with. `null` is the do-nothing default. */
export type StagePorts = {
  readonly journal: Journal
  readonly recorder: Recorder | null
  readonly labels: Labels | null
  readonly policy: Policy | null
  readonly executor: Executor
  readonly observation: ObservationMapper
  readonly clock: Clock
  readonly ids: Ids
  readonly hash: Hash
  readonly secrets: Secrets
  readonly sandbox: Sandbox
  readonly ambient: Ambient<InvocationContext>
  /** How long a request for approval stands, in milliseconds. */
  readonly approvalTtlMs: number
  readonly includeDetailedErrors: boolean
}

/** Where a call stands once it was looked up, validated and judged. */
export type Opened =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answered' }
  | { readonly kind: 'ask'; readonly approval: Approval }
  | { readonly kind: 'client' }
  /** Still waits for its answer, while others of the batch go on. */
  | { readonly kind: 'pending' }
