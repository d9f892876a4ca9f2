import type { CallRecord, Json, JsonObject } from '@fairlead/runtime/core'

/**
 * The outcome of a call as the host sees it: `data` is the full recorded result. `null` while the call has none.
 */
export function callResultJson(call: CallRecord, data: Json): JsonObject | null {
  const { result } = call
  if (result === null) return null
  return {
    status: result.status,
    data,
    summary: result.summary,
    errorCode: result.errorCode,
    retryable: result.retryable,
    evidenceUri: result.evidenceUri,
    latencyMs: call.latencyMs,
  }
}
