import type { Json } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import type { EvidenceStore } from '../ports/journal.ts'
import type { ResultItem } from '../ports/labels.ts'
import { isDeclarationOnly } from '../tool/tool.ts'
import { evidenceUriOf } from './call-id.ts'
import { codeFrom, type ErrorCode } from './error-code.ts'
import type { LiveCall } from './live-call.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import { normaliseResult } from './normalise-result.ts'

/** How the host answered a call of its own, in the words of an execution. */
export function hostOutcomeOf(answer: {
  readonly data: Json
  readonly errorCode: ErrorCode | null
  readonly items: readonly ResultItem[]
}): ExecutionOutcome {
  const { data, errorCode, items } = answer
  return {
    state: errorCode === null ? 'Succeeded' : 'Failed',
    status: errorCode === null ? 'success' : 'error',
    data,
    summary: errorCode === null ? null : textOf(items),
    errorCode,
    retryable: false,
    items,
  }
}

/**
 * Reads back what the host answered a call with that was recorded and has not been through middleware. Without its
 * evidence the call stays as it is: nothing is known of its result.
 */
export async function readHostOutcome(call: LiveCall, evidence: EvidenceStore): Promise<void> {
  const { state, tool, record } = call
  if (record.result !== null || (state !== 'Succeeded' && state !== 'Failed')) return
  if (tool === null || !isDeclarationOnly(tool)) return
  const kept = await evidence.get(evidenceUriOf(record.runId, record.id))
  if (kept === undefined) return
  const detail = record.transitions.at(-1)?.detail
  const errorCode = state === 'Failed' ? codeFrom(isJsonObject(detail) ? detail['errorCode'] : null) : null
  const { value } = kept
  const items: readonly ResultItem[] =
    typeof value === 'string' || Array.isArray(value) ? normaliseResult(value).items : [{ kind: 'data', data: value }]
  call.hostOutcome = hostOutcomeOf({ data: value, errorCode, items })
}

function textOf(items: readonly ResultItem[]): string {
  return items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('\n')
}
