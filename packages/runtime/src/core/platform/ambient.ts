import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ambient } from '../ports/ambient.ts'

/** Async-local values on Node's `AsyncLocalStorage`. From its first use on, Node 20 runs a hook for every promise. */
export function asyncLocal<T>(): Ambient<T> {
  const storage = new AsyncLocalStorage<T>()
  return { run: (value, body) => storage.run(value, body), get: () => storage.getStore() }
}
