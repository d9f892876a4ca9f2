import type { CallRecord } from '../call/call-record.ts'
import { readHostOutcome } from '../call/host-outcome.ts'
import { LiveCall } from '../call/live-call.ts'
import type { LoopSetup } from './loop-setup.ts'

/** The calls of a stored turn, with their tools as they are now: context providers have brought theirs by this time. */
export async function takeUpCalls(
  { pipeline }: LoopSetup,
  openCalls: readonly CallRecord[],
): Promise<readonly LiveCall[]> {
  const { tools, store } = pipeline.scope
  const calls = openCalls.map((call) => LiveCall.stored(call, tools.current.callable.get(call.tool) ?? null))
  for (const call of calls) await readHostOutcome(call, store.evidence)
  return calls
}
