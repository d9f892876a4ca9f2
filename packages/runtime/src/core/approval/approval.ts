import type { JsonObject } from '../json/json.ts'
import type { CallId } from '../call/call-id.ts'
import type { Effects, Risk } from '../tool/contract.ts'

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'superseded'

/**
 * What was shown to a person, recorded before it was shown. An answer is matched to this record by `id`;
 * tool and arguments come from here and from nowhere else. Times are milliseconds since the epoch.
 */
export type Approval = {
  readonly id: string
  readonly runId: string
  readonly sessionId: string
  readonly callId: CallId
  /** Who the call acts for. */
  readonly principalId: string
  /** Where the tool comes from and who answers for it: a rule to remember is bound to both. */
  readonly origin: string
  readonly owner: string | null
  readonly tool: string
  readonly version: string
  readonly arguments: JsonObject
  readonly risk: Risk
  readonly effects: Effects
  readonly impact: string | null
  readonly reversible: 'yes' | 'no' | { readonly by: string } | null
  readonly modelReason: string | null
  /** `contract`, `policy:<rule>` or `middleware:<name>`. */
  readonly askedBy: string
  /** Why, in the words of the rule or the middleware that asked. */
  readonly askReason: string | null
  /** Binds tool version, schema, arguments and session: a call that no longer gives this digest is asked again. */
  readonly digest: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly status: ApprovalStatus
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  readonly reason: string | null
  /** What the person approved in place of what was asked, or `null`. */
  readonly edited: ApprovalEdit | null
}

/** Arguments as a person changed them, and the digest their consent is bound to. */
export type ApprovalEdit = { readonly arguments: JsonObject; readonly digest: string }
