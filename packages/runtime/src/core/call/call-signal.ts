import type { AbortFan } from './abort-fan.ts'

/** The signal one call sees. Made only when somebody asks for it: most tools never do, and a controller costs. */
export class CallSignal {
  readonly #fan: AbortFan
  #controller: AbortController | undefined
  #stopListening: (() => void) | undefined

  constructor(fan: AbortFan) {
    this.#fan = fan
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      this.#stopListening = this.#fan.listen((reason) => controller.abort(reason))
    }
    return this.#controller.signal
  }

  /** Aborts this call alone, for example at its deadline. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }

  close(): void {
    this.#stopListening?.()
  }
}
