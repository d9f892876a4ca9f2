/**
 * A value that follows asynchronous code: `get` answers what the nearest enclosing `run` was given. It may answer
 * `undefined` in work that a body left behind when it ended.
 */
export interface Ambient<T> {
  run<R>(value: T, body: () => R): R
  get(): T | undefined
}
