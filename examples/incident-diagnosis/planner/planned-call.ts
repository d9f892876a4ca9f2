import type { ContentPart, JsonObject } from '@fairlead/runtime'

/** A call the planner wants. `id` is fixed per purpose, so that its result is found again without any state. */
export type PlannedCall = { readonly id: string; readonly tool: string; readonly arguments: JsonObject }

/** The call as the model's part of a turn. */
export function callPart(call: PlannedCall): ContentPart {
  return { kind: 'function_call', callId: call.id, name: call.tool, arguments: JSON.stringify(call.arguments) }
}
