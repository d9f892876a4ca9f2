import type { Approval, CallRecord, CallState, Message, RunRecord } from '@fairlead/runtime/core'
import { sampleApproval, sampleCall, sampleRun } from '@fairlead/runtime/testing'
import { describe, expect, it } from 'vitest'
import { findViolations } from './find-violations.ts'
import type { Effect } from './ledger.ts'
import type { Seen } from './look-at-store.ts'

/** A run with one call of `send_mail` that a person approved and that took effect; nothing of it is wrong. */
function good(
  changes: {
    readonly run?: Partial<RunRecord>
    readonly call?: Partial<CallRecord>
    readonly approval?: Partial<Approval>
    readonly messages?: readonly Message[]
    readonly open?: boolean
  } = {},
): Seen {
  const call = sampleCall({
    tool: 'send_mail',
    arguments: { item: 'a', gated: true },
    providerCallId: 'call_1_0',
    state: 'Observed',
    transitions: steps('Requested', 'NeedsApproval', 'Approved', 'Executing', 'Succeeded', 'Observed'),
    ...changes.call,
  })
  const answered: CallRecord = 'result' in (changes.call ?? {}) ? call : { ...call, result: resultOf(call) }
  const approval = sampleApproval({
    callId: call.id,
    status: 'approved',
    arguments: { item: 'a', gated: true },
    ...changes.approval,
  })
  const run = sampleRun({ status: 'ended', stopReason: 'answered', endedAt: 9, lease: null, ...changes.run })
  const messages = changes.messages ?? [asked, told, { role: 'assistant', parts: [{ kind: 'text', text: 'Done.' }] }]
  return {
    runs: [{ run, calls: [answered], approvals: [approval], messages }],
    open: changes.open === true ? [answered] : [],
  }
}

const asked: Message = {
  role: 'assistant',
  parts: [{ kind: 'function_call', callId: 'call_1_0', name: 'send_mail', arguments: '{}' }],
}
const told: Message = {
  role: 'tool',
  parts: [
    { kind: 'function_result', callId: 'call_1_0', name: 'send_mail', call: null, status: 'success', content: [] },
  ],
}

const note: Message = { role: 'user', parts: [{ kind: 'text', text: 'Note.' }] }

function steps(...states: readonly CallState[]): CallRecord['transitions'] {
  return states.map((state) => ({ state, at: 1, detail: null }))
}

function resultOf(call: CallRecord): CallRecord['result'] {
  const answer = {
    kind: 'function_result',
    callId: call.providerCallId,
    name: call.tool,
    call: call.id,
    status: 'success',
    content: [],
  } as const
  return { status: 'success', summary: '', errorCode: null, retryable: false, evidenceUri: null, answer }
}

function effect(changes: Partial<Effect> = {}): Effect {
  const { id } = sampleCall()
  const args = { item: 'a', gated: true }
  return {
    number: 1,
    at: 1,
    key: 'k',
    tool: 'send_mail',
    arguments: args,
    callId: id,
    attempt: 1,
    honoursKey: false,
    ...changes,
  }
}

function found(seen: Seen, effects: readonly Effect[] = [effect()], shown: readonly string[] = []): string {
  return findViolations(seen, { effects, received: [], asked: [] }, new Set(shown)).join('; ')
}

const pending = { status: 'pending' } as const

describe('what is looked for after a crash', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(found(good())).toBe('')
  })

  it.each<readonly [what: string, seen: Seen, effects: readonly Effect[] | null, expected: RegExp]>([
    ['a second effect', good(), [effect(), effect({ number: 2 })], /two effects in one attempt/],
    ['an effect of no call', good(), [effect({ callId: 'call_nobody' })], /no call in the store/],
    ['an effect before its intent', good(), [effect({ attempt: 2 })], /before it was written/],
    ['other arguments than approved', good(), [effect({ arguments: { item: 'b', gated: true } })], /nobody approved/],
    ['an effect after a refusal', good({ approval: { status: 'denied' } }), null, /nobody approved/],
    [
      'a non-idempotent call that ran again by itself',
      good({ call: { transitions: steps('Executing', 'Failed', 'Retried', 'Executing', 'Succeeded', 'Observed') } }),
      [effect(), effect({ number: 2, attempt: 2 })],
      /carried out 2 times.*2 times on 1 approvals/,
    ],
    ['a key with two effects', good({ call: { tool: 'set_label' } }), [effect(), effect({ number: 2 })], /one key/],
    ['an approval that is pending for ever', good({ approval: pending }), [], /pending though its run has ended/],
    ['an intent not listed', good({ call: { state: 'Executing' }, run: { status: 'running' } }), [], /open calls are/],
    ['a call that is listed though it is over', good({ open: true }), null, /listed are/],
    ['a call without an answer', good({ call: { result: null } }), null, /though its run has ended/],
    ['a lease that is stuck', good({ run: { lease: { worker: 'w', until: 1 } } }), null, /is held by w/],
    ['a call without a result in the conversation', good({ messages: [asked] }), null, /1 calls and 0 results/],
    ['a result twice', good({ messages: [asked, told, told] }), null, /results without calls/],
    ['words between a call and its result', good({ messages: [asked, note, told] }), null, /calls call_1_0, results/],
  ])('finds %s', (_, seen, effects, expected) => {
    expect(found(seen, effects ?? [effect()])).toMatch(expected)
  })

  it('finds an approval that was shown and is gone', () => {
    expect(found(good(), [effect()], ['approval_gone'])).toBe('approval approval_gone was shown and is gone')
  })
})
