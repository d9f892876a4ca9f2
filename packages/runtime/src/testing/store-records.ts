import { callIdOf } from '../core/index.ts'
import type { Approval, CallRecord, CallState, JournalEntry, Json, RunRecord, StandingRule } from '../core/index.ts'

/** A running run as a store keeps it, with every member that is not given filled in. */
export function sampleRun(members: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 'run_sample',
    traceId: 'trace_sample',
    sessionId: 'session_sample',
    agent: 'sample-agent',
    kind: 'agent',
    principal: { id: 'ann', roles: ['operator'] },
    environment: 'test',
    startedWith: { prompt: 'Restart billing' },
    parent: null,
    showsWholeBatch: false,
    guards: [],
    startedAt: 1_700_000_000_000,
    endedAt: null,
    status: 'running',
    stopReason: null,
    firstMessage: 0,
    turns: 0,
    calls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    usageKnown: true,
    costUsd: 0,
    workedMs: 0,
    conversationId: null,
    ignoredParts: 0,
    error: null,
    lease: null,
    ...members,
  }
}

/** A call in state `Requested` with one transition, belonging to `sampleRun` unless told otherwise. */
export function sampleCall(members: Partial<CallRecord> = {}): CallRecord {
  const { runId = 'run_sample', turn = 1, index = 0 } = members
  return {
    id: callIdOf(runId, turn, index),
    runId,
    traceId: 'trace_sample',
    sessionId: 'session_sample',
    turn,
    index,
    providerCallId: `provider-${index}`,
    principal: { id: 'ann', roles: ['operator'] },
    environment: 'test',
    tool: 'restart_service',
    version: '1.0.0',
    origin: 'local',
    effects: 'write',
    risk: 'medium',
    class: 'nonIdempotent',
    rawArguments: '{"service":"billing"}',
    arguments: { service: 'billing' },
    modelReason: null,
    decision: null,
    approvalId: null,
    attempts: 0,
    state: 'Requested',
    transitions: [{ state: 'Requested', at: 1_700_000_000_001, detail: null }],
    result: null,
    latencyMs: null,
    observationTokens: null,
    ...members,
  }
}

/** A pending approval request, belonging to `sampleRun` unless told otherwise. */
export function sampleApproval(members: Partial<Approval> = {}): Approval {
  const { runId = 'run_sample' } = members
  return {
    id: 'approval_sample',
    runId,
    sessionId: 'session_sample',
    callId: callIdOf(runId, 1, 0),
    tool: 'restart_service',
    version: '1.0.0',
    arguments: { service: 'billing' },
    risk: 'medium',
    effects: 'write',
    impact: null,
    reversible: { by: 'restart again' },
    modelReason: null,
    askReason: null,
    principalId: 'ann',
    origin: 'local',
    owner: null,
    askedBy: 'contract',
    digest: 'sha256:sample',
    createdAt: 1_700_000_000_002,
    expiresAt: 1_700_086_400_002,
    status: 'pending',
    decidedBy: null,
    decidedAt: null,
    reason: null,
    edited: null,
    ...members,
  }
}

/** A rule in force for one conversation and any arguments, made with `sampleApproval` unless told otherwise. */
export function sampleRule(members: Partial<StandingRule> = {}): StandingRule {
  return {
    id: 'rule_sample',
    tool: 'restart_service',
    origin: 'local',
    owner: null,
    arguments: null,
    askedBy: 'contract',
    scope: { kind: 'session', sessionId: 'session_sample' },
    createdAt: 1_700_000_000_003,
    createdBy: 'ann',
    approvalId: 'approval_sample',
    expiresAt: null,
    revokedAt: null,
    revokedBy: null,
    ...members,
  }
}

/** The same call one state further, with the transition that says so. Does not ask whether the step is legal. */
export function movedCall(call: CallRecord, state: CallState, detail: Json = null): CallRecord {
  const at = (call.transitions.at(-1)?.at ?? 0) + 1
  return { ...call, state, transitions: [...call.transitions, { state, at, detail }] }
}

/** The entry that moves a stored call one state further. */
export function moveEntry(call: CallRecord, state: CallState): Extract<JournalEntry, { readonly kind: 'call-moved' }> {
  return { kind: 'call-moved', expectedState: call.state, newTransitions: 1, call: movedCall(call, state) }
}

/** The two entries that begin a run in a session of its own. */
export function beginEntries(run: RunRecord): readonly JournalEntry[] {
  return [
    { kind: 'session-created', sessionId: run.sessionId, at: run.startedAt, anonymous: true },
    { kind: 'run-started', run },
  ]
}
