/** How often a tool may run, and may fail, over its lifetime or per run. `null` is no limit. */
export type InvocationLimits = {
  readonly maxInvocations: number | null
  readonly maxInvocationExceptions: number | null
}

/**
 * Counts what a tool instance did. Counted at the start of a call, before anything waits, so that parallel calls cannot
 * slip through together.
 */
export class ToolCounters {
  #invocations = 0
  #exceptions = 0

  get invocations(): number {
    return this.#invocations
  }

  get exceptions(): number {
    return this.#exceptions
  }

  /** Counts one more call if the limits allow it; else says which one does not. */
  admit(limits: InvocationLimits): 'admitted' | 'maxInvocations' | 'maxInvocationExceptions' {
    const { maxInvocations, maxInvocationExceptions } = limits
    if (maxInvocations !== null && this.#invocations >= maxInvocations) return 'maxInvocations'
    if (maxInvocationExceptions !== null && this.#exceptions >= maxInvocationExceptions)
      return 'maxInvocationExceptions'
    this.#invocations++
    return 'admitted'
  }

  /** Takes back one admission of a call that did not start. */
  release(): void {
    if (this.#invocations > 0) this.#invocations--
  }

  countException(): void {
    this.#exceptions++
  }

  reset(): void {
    this.#invocations = 0
    this.#exceptions = 0
  }
}
