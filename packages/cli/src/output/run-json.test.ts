import { expect, it } from 'vitest'
import { sampleApproval, sampleCall } from '../../test/sample-records.ts'
import { approvalJson, shownApprovalJson } from './approval-json.ts'
import { runJson } from './run-json.ts'

const approvalKeys = [
  'id',
  'callId',
  'tool',
  'version',
  'owner',
  'origin',
  'arguments',
  'risk',
  'effects',
  'impact',
  'reversible',
  'modelReason',
  'askedBy',
  'askReason',
  'path',
  'expiresAt',
]

it('gives a run with exactly its promised fields and RFC 3339 times', () => {
  const json = runJson({
    runId: 'run_1',
    sessionId: 'session_1',
    stopReason: 'approval_required',
    callEnd: null,
    text: 'Done.',
    approvals: [sampleApproval],
    hostedApprovals: [{ id: 'r1', tool: 'mail', arguments: '{}' }],
    clientCalls: [{ callId: 'call_1_1_0', tool: 'read_meter', arguments: { room: 'cellar' } }],
    callsInDoubt: [{ callId: 'call_1_1_1', tool: 'move', arguments: {}, because: 'it was lost' }],
    usage: { inputTokens: 1, outputTokens: 2 },
    report: null,
    error: null,
  })
  expect(Object.keys(json)).toEqual([
    'runId',
    'sessionId',
    'stopReason',
    'text',
    'approvals',
    'hostedApprovals',
    'clientCalls',
    'callsInDoubt',
    'usage',
    'report',
    'error',
  ])
  expect(json['clientCalls']).toEqual([{ callId: 'call_1_1_0', tool: 'read_meter', arguments: { room: 'cellar' } }])
  expect(json['hostedApprovals']).toEqual([{ id: 'r1', tool: 'mail', arguments: '{}' }])
  const [approval] = json['approvals'] as readonly { readonly [key: string]: unknown }[]
  expect(Object.keys(approval ?? {})).toEqual(approvalKeys)
  expect(approval?.['expiresAt']).toBe('2026-01-03T03:04:05.006Z')
  expect(json['usage']).toEqual({ inputTokens: 1, outputTokens: 2 })
})

it('gives an approval of its own with what became of it, never absent', () => {
  const json = approvalJson({
    ...sampleApproval,
    status: 'denied',
    decidedBy: 'bob',
    decidedAt: 0,
    reason: 'not today',
  })
  expect(Object.keys(json)).toEqual([
    ...approvalKeys,
    'runId',
    'sessionId',
    'status',
    'createdAt',
    'decidedBy',
    'decidedAt',
    'reason',
    'edited',
  ])
  expect(json).toMatchObject({ decidedBy: 'bob', decidedAt: '1970-01-01T00:00:00.000Z', reason: 'not today' })
  expect(approvalJson(sampleApproval)).toMatchObject({ decidedBy: null, decidedAt: null, reason: null })
})

it('shows a request with what became of its call', () => {
  const json = shownApprovalJson(sampleApproval, sampleCall)
  expect(Object.keys(json)).toEqual([...Object.keys(approvalJson(sampleApproval)), 'call'])
  expect(json['call']).toEqual({
    state: 'Observed',
    result: { status: 'success', summary: '22 °C', errorCode: null, evidenceUri: 'evidence://run_1/call_1_1_0' },
  })
  expect(shownApprovalJson(sampleApproval, undefined)['call']).toBeNull()
})
