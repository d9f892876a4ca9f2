import type { InvocationContext } from '../call/invocation-context.ts'
import type { Ambient } from '../ports/ambient.ts'
import { asyncLocal } from './ambient.ts'

/** One for the process, because code deep below a tool asks for it without being handed anything. */
export const invocations: Ambient<InvocationContext> = asyncLocal()

/** The context of the tool call this code runs under, or `undefined` outside any call. Never leaks between calls. */
export function currentInvocation(): InvocationContext | undefined {
  return invocations.get()
}
