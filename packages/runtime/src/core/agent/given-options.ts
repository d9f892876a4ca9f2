import type { RunOptions } from './agent-options.ts'
import type { GivenToRun } from './live-sessions.ts'

/** Members that are undefined are left out, so that they change nothing. */
export function present(options: RunOptions): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as RunOptions
}

/** What the host gave this run beside its agent. Members that are undefined are left out, so that they change nothing. */
export function givenBy({ tools, middleware, instructions }: RunOptions): GivenToRun['options'] {
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(middleware === undefined ? {} : { middleware }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}
