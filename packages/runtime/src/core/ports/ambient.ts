/** A value that follows asynchronous code: `get` answers what the nearest enclosing `run` was given. */
export interface Ambient<T> {
  run<R>(value: T, body: () => R): R
  get(): T | undefined
}
