import type { Principal } from '../call/call-record.ts'
import type { ToolLogger } from '../call/invocation-context.ts'
import type { RunScope } from '../call/run-scope.ts'
import type { Message } from '../content/message.ts'
import type { LiveTools } from '../tool/live-tools.ts'
import type { RunContext } from './run-context.ts'

/** The part of every context that comes from the run. */
export abstract class ScopeContext implements RunContext {
  readonly #scope: RunScope

  constructor(scope: RunScope) {
    this.#scope = scope
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
    return this.#scope.fan.signal
  }

  get logger(): ToolLogger {
    return this.#scope.logger
  }

  get state(): Map<unknown, unknown> {
    return this.#scope.state
  }

  get tools(): LiveTools {
    return this.#scope.tools.handle
  }

  inject(message: string | Message): void {
    this.#scope.inject(message)
  }
}
