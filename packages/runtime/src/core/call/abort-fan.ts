type Listener = {
  readonly tell: (reason: unknown) => void
  before: Listener | null
  next: Listener | null
  isIn: boolean
}

/**
 * Spreads one abort to many: a run listens once to its caller's signal and each call hears of it here, so that
 * hundreds of parallel calls put one listener on the caller's signal.
 */
export class AbortFan {
  /** A chain, not a set: every turn, batch and call comes and goes, and hashing them costs more than all the rest of it. */
  #first: Listener | null = null
  #last: Listener | null = null
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
    const listeners: Listener[] = []
    for (let one = this.#first; one !== null; one = one.next) listeners.push(one)
    this.#clear()
    for (const { tell } of listeners) tell(reason)
  }

  /** Calls `listener` once on abort, at once when already aborted. Gives back what takes it off again. */
  listen(listener: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason.value)
      return () => undefined
    }
    const added: Listener = { tell: listener, before: this.#last, next: null, isIn: true }
    if (this.#last === null) this.#first = added
    else this.#last.next = added
    this.#last = added
    return () => this.#takeOut(added)
  }

  #takeOut(listener: Listener): void {
    if (!listener.isIn) return
    listener.isIn = false
    const { before, next } = listener
    if (before === null) this.#first = next
    else before.next = next
    if (next === null) this.#last = before
    else next.before = before
  }

  #clear(): void {
    for (let one = this.#first; one !== null; one = one.next) one.isIn = false
    this.#first = null
    this.#last = null
  }

  /** Lets go of the caller's signal. */
  close(): void {
    this.#source?.removeEventListener('abort', this.#onAbort)
    this.#clear()
  }
}
