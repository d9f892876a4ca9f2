/**
 * Spreads one abort to many: a run listens once to its caller's signal and each call hears of it here, so that
 * hundreds of parallel calls put one listener on the caller's signal.
 */
export class AbortFan {
  readonly #listeners = new Set<(reason: unknown) => void>()
  readonly #source: AbortSignal | undefined
  readonly #onAbort: () => void
  #reason: { readonly value: unknown } | undefined
  #controller: AbortController | undefined

  constructor(source: AbortSignal | undefined) {
    this.#source = source
    this.#onAbort = () => this.abort(source?.reason)
    if (source === undefined) return
    if (source.aborted) this.abort(source.reason)
    else source.addEventListener('abort', this.#onAbort, { once: true })
  }

  get aborted(): boolean {
    return this.#reason !== undefined
  }

  get reason(): unknown {
    return this.#reason?.value
  }

  /** One signal for the whole run, for work that is not a call's. Made when first asked for. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      this.listen((reason) => controller.abort(reason))
    }
    return this.#controller.signal
  }

  /** Aborts from inside, for example when a lease is lost. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#reason !== undefined) return
    this.#reason = { value: reason }
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener(reason)
  }

  /** Calls `listener` once on abort, at once when already aborted. Gives back what takes it off again. */
  listen(listener: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason.value)
      return () => undefined
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lets go of the caller's signal. */
  close(): void {
    this.#source?.removeEventListener('abort', this.#onAbort)
    this.#listeners.clear()
  }
}
