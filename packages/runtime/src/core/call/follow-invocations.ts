import type { Ambient } from '../ports/ambient.ts'
import type { InvocationContext } from './invocation-context.ts'

let follower: Ambient<InvocationContext> | undefined

/**
 * Where every execution of the process says which call it runs under. Nobody listens until `followInvocations` is called:
 * on Node 20 following asynchronous code costs a hook for every promise of the process, so only those pay who ask.
 */
export const invocations: Ambient<InvocationContext> = {
  run: (invocation, body) => (follower === undefined ? body() : follower.run(invocation, body)),
  get: () => follower?.get(),
}

/** From here on executions are followed with `ambient`: one for the process, the first that comes. */
export function followInvocations(ambient: Ambient<InvocationContext>): void {
  follower ??= ambient
}
