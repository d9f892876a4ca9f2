import { expect, it } from 'vitest'
import { sampleCall, sampleRun } from '../../test/sample-records.ts'
import { traceJson } from './trace-json.ts'

it('gives each call with exactly its promised fields', () => {
  const { run, calls } = traceJson({ run: sampleRun, calls: [sampleCall], approvals: [], thrown: new Map() }) as {
    readonly run: { readonly [key: string]: unknown }
    readonly calls: readonly { readonly [key: string]: unknown }[]
  }
  expect(run).toMatchObject({ id: 'run_1', status: 'suspended', startedAt: '2026-01-02T03:04:05.006Z', endedAt: null })
  expect(run).not.toHaveProperty('lease')
  expect(Object.keys(calls[0] ?? {})).toEqual([
    'id',
    'traceId',
    'sessionId',
    'principal',
    'tool',
    'version',
    'origin',
    'risk',
    'effects',
    'arguments',
    'modelReason',
    'decision',
    'approvals',
    'transitions',
    'attempts',
    'result',
    'thrown',
    'latencyMs',
    'observationTokens',
  ])
  expect(calls[0]).toMatchObject({
    decision: { effect: 'allow', rules: ['read-only'] },
    transitions: [{}, {}, { state: 'Observed', at: '2026-01-02T03:04:05.019Z', detail: { why: 'done' } }],
  })
  expect(calls[0]?.['result']).toEqual({
    status: 'success',
    summary: '22 °C',
    errorCode: null,
    evidenceUri: 'evidence://run_1/call_1_1_0',
  })
})

it('says null for what a call does not have yet', () => {
  const fresh = {
    ...sampleCall,
    decision: null,
    result: null,
    arguments: null,
    latencyMs: null,
    observationTokens: null,
  }
  expect(traceJson({ run: sampleRun, calls: [fresh], approvals: [], thrown: new Map() })['calls']).toMatchObject([
    { decision: null, result: null, arguments: null, latencyMs: null, observationTokens: null },
  ])
})
