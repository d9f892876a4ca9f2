import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ambient } from '../ports/ambient.ts'

/** Async-local values on Node's `AsyncLocalStorage`. */
export function asyncLocal<T>(): Ambient<T> {
  const storage = new AsyncLocalStorage<T>()
  return { run: (value, body) => storage.run(value, body), get: () => storage.getStore() }
}
