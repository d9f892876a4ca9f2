import type { Approval } from '../approval/approval.ts'
import type { CallId } from '../call/call-id.ts'
import type { CallRecord, Transition } from '../call/call-record.ts'
import type { ContentPart } from '../content/content-part.ts'
import type { Message } from '../content/message.ts'
import type { Json } from '../json/json.ts'
import type { RunRecord } from '../ports/run-record.ts'
import type { StopReason } from './stop-reason.ts'

/** What a stream of a run tells, in order. Deltas exist only here; everything else is in the result and the store too. */
export type RunUpdate =
  | { readonly kind: 'run-started'; readonly run: RunRecord }
  | { readonly kind: 'text-delta'; readonly text: string }
  | { readonly kind: 'reasoning-delta'; readonly text: string }
  | { readonly kind: 'part'; readonly part: ContentPart }
  | { readonly kind: 'message-added'; readonly message: Message }
  /** Steps of a call, told once they are durable. */
  | { readonly kind: 'call-moved'; readonly call: CallRecord; readonly transitions: readonly Transition[] }
  | { readonly kind: 'tool-progress'; readonly callId: CallId; readonly update: Json }
  | { readonly kind: 'approval-requested'; readonly approval: Approval }
  | { readonly kind: 'run-stopped'; readonly run: RunRecord; readonly stopReason: StopReason }
