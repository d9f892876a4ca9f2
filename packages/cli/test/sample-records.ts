import { callIdOf, type Approval, type CallRecord, type RunRecord } from '@fairlead/runtime/core'
import { sampleApproval as approvalWith, sampleCall as callWith, sampleRun as runWith } from '@fairlead/runtime/testing'

const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
const runId = 'run_1'
const callId = callIdOf(runId, 1, 0)

/** A suspended run by Ann. */
export const sampleRun: RunRecord = runWith({
  id: runId,
  sessionId: 'session_1',
  agent: 'on-call',
  principal: { id: 'ann', roles: ['sre'] },
  environment: 'staging',
  startedAt,
  status: 'suspended',
  stopReason: 'approval_required',
  turns: 1,
  calls: 1,
  lease: { worker: 'worker_1', until: startedAt + 1000 },
})

/** A call of that run that succeeded in 12 ms. */
export const sampleCall: CallRecord = callWith({
  runId,
  sessionId: 'session_1',
  tool: 'get_weather',
  effects: 'read',
  risk: 'low',
  class: 'readOnly',
  rawArguments: '{"city":"Riga"}',
  arguments: { city: 'Riga' },
  modelReason: 'The weather decides.',
  decision: { effect: 'allow', rules: ['read-only'] },
  attempts: 1,
  state: 'Observed',
  transitions: [
    { state: 'Requested', at: startedAt, detail: null },
    { state: 'Succeeded', at: startedAt + 12, detail: null },
    { state: 'Observed', at: startedAt + 13, detail: { why: 'done' } },
  ],
  result: {
    status: 'success',
    summary: '22 °C',
    errorCode: null,
    retryable: false,
    evidenceUri: 'evidence://run_1/call_1_1_0',
    answer: {
      kind: 'function_result',
      callId: 'c0',
      name: 'get_weather',
      call: callId,
      status: 'success',
      content: [],
    },
  },
  latencyMs: 12,
  observationTokens: 3,
})

/** A pending request whose texts try to fool a terminal. */
export const sampleApproval: Approval = approvalWith({
  id: 'approval_1',
  runId,
  sessionId: 'session_1',
  callId: callIdOf(runId, 1, 1),
  tool: 'create_ticket',
  version: '2',
  arguments: { title: 'Slow\u001b[2J checkout', labels: ['a', 'b'] },
  impact: 'Opens a ticket.',
  reversible: { by: 'close_ticket' },
  modelReason: 'Because\u202e of it.',
  createdAt: startedAt,
  expiresAt: startedAt + 86_400_000,
})
