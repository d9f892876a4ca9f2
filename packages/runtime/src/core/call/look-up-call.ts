import { callIdOf } from './call-id.ts'
import { LiveCall } from './live-call.ts'
import type { RunScope } from './run-scope.ts'

/** A call as the model (or the host) proposed it, and its place in the run. */
export type Proposal = {
  readonly providerCallId: string
  readonly name: string
  readonly arguments: string
  readonly turn: number
  readonly index: number
  readonly modelReason: string | null
}

/** The first stage: finds the tool by its name, in a Map, and opens the call's record. An unknown tool is no error yet. */
export function lookUpCall(proposal: Proposal, scope: RunScope, at: number): LiveCall {
  const tool = scope.tools.current.callable.get(proposal.name) ?? null
  const contract = tool?.contract
  return LiveCall.proposed(
    {
      id: callIdOf(scope.runId, proposal.turn, proposal.index),
      runId: scope.runId,
      traceId: scope.traceId,
      sessionId: scope.sessionId,
      turn: proposal.turn,
      index: proposal.index,
      providerCallId: proposal.providerCallId,
      principal: scope.principal,
      environment: scope.environment,
      tool: proposal.name,
      version: contract?.version ?? null,
      origin: contract?.origin ?? 'local',
      effects: contract?.effects ?? 'unknown',
      risk: contract?.risk ?? 'high',
      class: contract?.class ?? 'nonIdempotent',
      rawArguments: proposal.arguments,
      arguments: null,
      modelReason: proposal.modelReason,
      decision: null,
      approvalId: null,
      attempts: 0,
      state: 'Requested',
      transitions: [{ state: 'Requested', at, detail: null }],
      result: null,
      latencyMs: null,
      observationTokens: null,
    },
    tool,
  )
}
