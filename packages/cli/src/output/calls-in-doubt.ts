import { isJsonObject, type CallRecord } from '@fairlead/runtime/core'
import type { DoubtfulCallView } from './run-json.ts'

/** Why it is not known whether a call took effect; `null` where it is known. */
export function doubtOf(call: CallRecord): string | null {
  if (call.state !== 'Unknown') return null
  const detail = call.transitions.findLast(({ state }) => state === 'Unknown')?.detail
  const because = isJsonObject(detail) ? detail['because'] : undefined
  return typeof because === 'string' ? because : (call.result?.summary ?? 'its end was not recorded')
}

/** The calls among these of which nobody knows whether they took effect. */
export function callsInDoubt(calls: readonly CallRecord[]): readonly DoubtfulCallView[] {
  return calls.flatMap((call) => {
    const because = doubtOf(call)
    if (because === null) return []
    const { id: callId, tool, arguments: args, result } = call
    return [{ callId, tool, arguments: args ?? {}, because, isAnswered: result !== null }]
  })
}

/** Why a run in doubt cannot go on, in a line. */
export function doubtText(calls: readonly DoubtfulCallView[]): string {
  const named = calls.map(({ tool, callId }) => `${tool} took effect (${callId})`).join(' and whether ')
  return `The run cannot go on: it is not known whether ${named}. Look at what it changes; it is never repeated by itself.`
}
