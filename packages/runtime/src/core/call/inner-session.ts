import type { CallId } from './call-id.ts'

/** The conversation of the agent inside a call: the same each time the call is carried out. */
export function innerSessionId(callId: CallId): string {
  return `session_in_${callId}`
}
