import type { CallRecord, Json, Store } from '@fairlead/runtime/core'
import { exitCode, type ExitCode } from '../exit.ts'
import type { Output } from '../output/output.ts'
import { issueLine } from '../output/visible-text.ts'

/** A call with its full recorded result. */
export type RecordedCall = { readonly call: CallRecord; readonly data: Json }

/** Reads a call of a run, or the one call of a `tools call` run; `undefined` when it was not recorded. */
export async function recordedCall(runId: string, store: Store, callId?: string): Promise<RecordedCall | undefined> {
  const call = (await store.journal.calls(runId)).find(({ id }) => callId === undefined || id === callId)
  if (call === undefined) return undefined
  const uri = call.result?.evidenceUri ?? null
  const evidence = uri === null ? undefined : await store.evidence.get(uri)
  return { call, data: evidence?.value ?? null }
}

/** A call somebody asked for by name and that failed is a failed command; says why on standard error. */
export function callExit(recorded: RecordedCall | undefined, ranWith: ExitCode, output: Output): ExitCode {
  const result = recorded?.call.result
  if (result?.status !== 'error') return ranWith
  output.failure(`${result.errorCode ?? 'INTERNAL'}: ${issueLine(result.summary)}`)
  return exitCode.failed
}
