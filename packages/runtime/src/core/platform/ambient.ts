import { AsyncLocalStorage } from 'node:async_hooks'
import { isThenable } from '../call/maybe-promise.ts'
import type { Ambient } from '../ports/ambient.ts'

/**
 * Async-local values on Node's `AsyncLocalStorage`. While any is in use, Node 20 runs hooks for every promise of the
 * process; so the storage is switched off whenever no body is under way. What a body leaves running after its end sees
 * no value any more.
 */
export function asyncLocal<T>(): Ambient<T> {
  const storage = new AsyncLocalStorage<T>()
  let underWay = 0
  const rest = (): void => {
    if (underWay === 0) storage.disable()
  }
  // Not at once: calls of one batch end together, and switching on and off for each would cost more than it saves.
  const end = (): void => {
    if (--underWay === 0) queueMicrotask(rest)
  }
  return {
    run(value, body) {
      underWay++
      let result: ReturnType<typeof body>
      try {
        result = storage.run(value, body)
      } catch (error) {
        end()
        throw error
      }
      if (isThenable(result)) result.then(end, end)
      else end()
      return result
    },
    get: () => storage.getStore(),
  }
}
