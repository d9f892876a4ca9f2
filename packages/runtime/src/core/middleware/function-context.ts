import type { CallRecord } from '../call/call-record.ts'
import type { ErrorCode } from '../call/error-code.ts'
import type { JsonObject } from '../json/json.ts'
import type { ToolContract } from '../tool/contract.ts'
import type { CallResult } from './call-result.ts'
import type { RunContext } from './run-context.ts'

/**
 * What function middleware works with: one call that was validated, allowed by policy and, where that was needed,
 * approved. `next` carries it out. A run that was resumed sends its unfinished calls through again.
 */
export interface FunctionContext extends RunContext {
  readonly kind: 'function'
  /** The call as it stands now; a copy nobody can change. */
  readonly call: CallRecord
  readonly tool: ToolContract
  /** Validated, with defaults applied, frozen. */
  readonly args: JsonObject
  /**
   * What `next` brought, or what a piece of middleware set; a failed tool is a result too, `next` does not throw. Setting
   * it takes whatever a tool may return: before `next`, and without it, the call is answered with it and not carried out
   * (a short circuit); after `next` the model sees it instead of the tool's, and the evidence keeps the tool's own. A
   * call in doubt (`IN_DOUBT`) stays in doubt for the model.
   */
  get result(): CallResult | undefined
  set result(value: unknown)
  /**
   * Before `next`: sends the call back to validation and policy with other arguments. Resolves when they are accepted,
   * else rejects with `CALL_STOPPED`. Must give the same again when a resumed run repeats it.
   */
  replaceArgs(args: JsonObject): Promise<void>
  /**
   * Before `next`: asks a person, unless this very request was approved already. Throws `CALL_STOPPED` when it asks: the
   * run stops and this middleware runs again when it is resumed. Arguments replaced further in are asked about anew.
   */
  requireApproval(options: { readonly reason: string }): void
  /** Before `next`: refuses the call with a text for the model. Throws `CALL_STOPPED`. Default code `PERMISSION_DENIED`. */
  reject(reason: string, options?: { readonly errorCode?: ErrorCode }): never
  /** Ends the run once the calls of this turn have finished; before `next` the call itself is not carried out. */
  terminate(result?: unknown): void
}
