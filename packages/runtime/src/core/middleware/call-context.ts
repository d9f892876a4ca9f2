import type { CallRecord } from '../call/call-record.ts'
import type { ErrorCode } from '../call/error-code.ts'
import type { LiveCall } from '../call/live-call.ts'
import type { RunScope } from '../call/run-scope.ts'
import type { JsonObject } from '../json/json.ts'
import type { ToolContract } from '../tool/contract.ts'
import type { Tool } from '../tool/tool.ts'
import type { CallResult } from './call-result.ts'
import type { FunctionContext } from './function-context.ts'
import type { FunctionMiddlewareStep } from './middleware-step.ts'
import { ScopeContext } from './scope-context.ts'

/** A call on its way, as its pieces act on it; each says its own name. */
export interface ActedOn {
  readonly call: LiveCall
  readonly tool: Tool
  readonly args: JsonObject
  readonly result: CallResult | undefined
  setResult(by: string, value: unknown): void
  replaceArgs(by: string, args: JsonObject, wentOn: boolean): Promise<void>
  requireApproval(by: string, reason: string, wentOn: boolean): void
  refuse(by: string, reason: string, errorCode: ErrorCode, wentOn: boolean): never
  terminate(by: string, value: unknown): void
}

/** What one piece sees of a passage. */
export class CallContext extends ScopeContext implements FunctionContext {
  readonly kind = 'function'
  readonly #passage: ActedOn
  readonly #step: FunctionMiddlewareStep
  #isClosed = false
  wentOn = false

  constructor(passage: ActedOn, step: FunctionMiddlewareStep, scope: RunScope) {
    super(scope)
    this.#passage = passage
    this.#step = step
  }

  get call(): CallRecord {
    return this.#passage.call.handOut()
  }

  get tool(): ToolContract {
    return this.#passage.tool.contract
  }

  get args(): JsonObject {
    return this.#passage.args
  }

  get result(): CallResult | undefined {
    return this.#passage.result
  }

  set result(value: unknown) {
    if (this.#isClosed) return
    this.#passage.setResult(this.#step.name, value)
  }

  replaceArgs(args: JsonObject): Promise<void> {
    return this.#passage.replaceArgs(this.#step.name, args, this.wentOn)
  }

  requireApproval({ reason }: { readonly reason: string }): void {
    this.#passage.requireApproval(this.#step.name, reason, this.wentOn)
  }

  reject(reason: string, options: { readonly errorCode?: ErrorCode } = {}): never {
    return this.#passage.refuse(this.#step.name, reason, options.errorCode ?? 'PERMISSION_DENIED', this.wentOn)
  }

  /** The piece has ended: what it says afterwards comes too late. */
  close(): void {
    this.#isClosed = true
  }

  terminate(result?: unknown): void {
    if (this.#isClosed) return
    this.#passage.terminate(this.#step.name, result)
  }
}
