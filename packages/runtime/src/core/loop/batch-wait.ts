import type { LiveCall } from '../call/live-call.ts'
import { isJsonObject } from '../json/json.ts'

/** What a batch waits for once all of it that could run has run; `null` when it is done. */
export type BatchWait = 'approval_required' | 'client_tool_required' | 'in_doubt' | null

const sternness: readonly BatchWait[] = [null, 'client_tool_required', 'approval_required', 'in_doubt']

/** The wait that decides how the run stops. */
export function sternerOf(one: BatchWait, other: BatchWait): BatchWait {
  return sternness.indexOf(one) >= sternness.indexOf(other) ? one : other
}

/** What a call that did not settle waits for: an agent inside it does. */
export function waitOf({ record }: LiveCall): BatchWait {
  if (record.state !== 'Retried') return null
  const detail = record.transitions.at(-1)?.detail
  const waits = isJsonObject(detail) ? detail['waits'] : null
  return waits === 'approval_required' || waits === 'client_tool_required' || waits === 'in_doubt' ? waits : null
}
