import { createContext, Script } from 'node:vm'

const script = new Script('task()')

/** What became of a task: its result, or word that it was stopped at its time limit. */
export type WithinTime<T> = { readonly kind: 'finished'; readonly value: T } | { readonly kind: 'timed-out' }

/**
 * Runs a synchronous task and stops it after `milliseconds`, so that a pattern with runaway backtracking cannot hang the process.
 *
 * An exception of the task passes through. The task runs on this thread: nothing else happens meanwhile.
 */
export function runWithin<T>(milliseconds: number, task: () => T): WithinTime<T> {
  const results: T[] = []
  const context = createContext({
    task: () => {
      results.push(task())
    },
  })
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    if (isTimeout(error)) return { kind: 'timed-out' }
    throw error
  }
  const [value] = results
  // The script returned without throwing, so the task pushed exactly one result.
  return { kind: 'finished', value: value as T }
}

/** The time-out error belongs to the script's own realm, so it is no instance of this realm's Error. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
