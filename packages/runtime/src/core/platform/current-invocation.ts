import type { InvocationContext } from '../call/invocation-context.ts'
import { followInvocations, invocations } from '../call/follow-invocations.ts'
import { asyncLocal } from './ambient.ts'

followInvocations(asyncLocal())

/**
 * The context of the tool call this code runs under, however deep, or `undefined` outside any call. Never leaks between
 * calls. Loading this module is what makes executions followed: a call that was already executing is not seen. On Node 20
 * it costs every promise of the process a hook (measured: a streamed run takes about 1.3 times as long).
 */
export function currentInvocation(): InvocationContext | undefined {
  return invocations.get()
}
