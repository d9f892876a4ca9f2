import type { ChatResponse, ContentPart } from '@fairlead/runtime'
import type { IncidentReport } from '../report/index.ts'
import { callPart, type PlannedCall } from './planned-call.ts'

/** One turn before it is said: a text, perhaps the report as data, perhaps calls. */
export type Turn = {
  readonly text: string
  readonly report?: IncidentReport
  readonly calls?: readonly PlannedCall[]
}

/** A turn in the form a model answers in. */
export function responseOf(turn: Turn): ChatResponse {
  const calls = turn.calls ?? []
  const parts: readonly ContentPart[] = [
    { kind: 'text', text: turn.text },
    ...(turn.report === undefined ? [] : [{ kind: 'data', data: turn.report } as const]),
    ...calls.map(callPart),
  ]
  return { parts, finishReason: calls.length === 0 ? 'stop' : 'tool_calls' }
}
