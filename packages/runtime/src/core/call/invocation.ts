import type { Json } from '../json/json.ts'
import type { Hash } from '../ports/hash.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { StagePorts } from './stage-ports.ts'
import type { LiveCall } from './live-call.ts'
import type { CallRecord, Principal } from './call-record.ts'
import type { CallSignal } from './call-signal.ts'
import type { InvocationContext, ToolLogger } from './invocation-context.ts'
import type { RunScope } from './run-scope.ts'
import { evidenceUriOf } from './call-id.ts'
import type { LiveTools } from '../tool/live-tools.ts'

/** The context of one attempt. Signal and key are made when asked for: most tools ask for neither. */
export class Invocation implements InvocationContext {
  readonly #live: LiveCall
  #handedOut: CallRecord | undefined
  readonly #scope: RunScope
  readonly #signal: CallSignal
  readonly #ports: StagePorts

  constructor(live: LiveCall, scope: RunScope, signal: CallSignal, ports: StagePorts) {
    this.#live = live
    this.#scope = scope
    this.#signal = signal
    this.#ports = ports
  }

  /** What governs the call of a context; for agents that run inside it. No tool reaches it through its context. */
  static governanceOf(context: unknown): Governance | undefined {
    if (typeof context !== 'object' || context === null || !(#live in context)) return undefined
    return { call: context.#live.record, scope: context.#scope, ports: context.#ports }
  }

  get sandbox(): Sandbox {
    return this.#ports.sandbox
  }

  get secrets(): { readonly lease: (name: string) => Promise<string> } {
    const { tool, principal } = this.#live.record
    return { lease: (name) => this.#ports.secrets.lease(name, { tool, principal }) }
  }

  /** Made when asked for: most tools never look. A copy nobody can change. */
  get call(): CallRecord {
    this.#handedOut ??= this.#live.handOut()
    return this.#handedOut
  }

  get runId(): string {
    return this.#scope.runId
  }

  get session(): { readonly id: string } {
    return { id: this.#scope.sessionId }
  }

  get principal(): Principal {
    return this.#scope.principal
  }

  get environment(): string {
    return this.#scope.environment
  }

  get services(): unknown {
    return this.#scope.services
  }

  get signal(): AbortSignal {
    return this.#signal.signal
  }

  get logger(): ToolLogger {
    return this.#scope.logger
  }

  get tools(): LiveTools {
    return this.#scope.tools.handle
  }

  get state(): Map<unknown, unknown> {
    return this.#scope.state
  }

  get evidence(): { readonly uri: string } {
    const { runId, id } = this.#live.record
    return { uri: evidenceUriOf(runId, id) }
  }

  get attempt(): number {
    return this.#live.record.attempts
  }

  get idempotencyKey(): string {
    return idempotencyKeyOf(this.#live.record, this.#ports.hash)
  }

  get progress(): (update: Json) => void {
    return (update) => this.#scope.progress(this.#live.record.id, update)
  }
}

/** What governs a call: an agent that runs inside it is governed by the same, and more. */
export type Governance = { readonly call: CallRecord; readonly scope: RunScope; readonly ports: StagePorts }

/** The same for every attempt of one call, in every process; different for every other call. */
function idempotencyKeyOf(call: CallRecord, hash: Hash): string {
  return hash.sha256(`fairlead:idempotency:${call.runId}:${call.id}`)
}
