import { expect, it } from 'vitest'
import { sampleApproval } from '../../test/sample-records.ts'
import { textHost } from '../../test/text-host.ts'
import { commandContext } from '../command-context.ts'
import type { RunView } from './run-json.ts'
import { runText, type Shown } from './run-text.ts'

const waiting: RunView = {
  runId: 'run_1',
  sessionId: 'session_1',
  stopReason: 'approval_required',
  callEnd: null,
  text: 'Report.',
  approvals: [sampleApproval],
  hostedApprovals: [],
  clientCalls: [],
  callsInDoubt: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  report: null,
  error: null,
}

const unseen: Shown = { text: null, requests: new Set() }

it('names each pending request with the exact command lines that decide it', () => {
  const context = commandContext(textHost(), { store: "/tmp/an's store.db" })
  const text = runText(waiting, context, unseen)
  expect(text).toContain(`fairlead approvals approve approval_1 --store '/tmp/an'\\''s store.db'`)
  expect(text).toContain(`fairlead approvals deny approval_1 --reason 'say why' --store`)
  expect(text).toContain('Slow<U+001B>[2J checkout')
  for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden)
})

it('leaves the store out when it is the usual one', () => {
  expect(runText(waiting, commandContext(textHost(), {}), unseen)).not.toContain('--store')
})

it("leaves the model's reason out of the request when the text above it begins with it", () => {
  const approvals = [{ ...sampleApproval, modelReason: 'Report.' }]
  expect(runText({ ...waiting, approvals }, commandContext(textHost(), {}), unseen)).not.toContain('model says')
  expect(runText(waiting, commandContext(textHost(), {}), unseen)).toContain('model says')
})

it('does not repeat a text the person has just read', () => {
  const context = commandContext(textHost(), { quiet: true })
  expect(runText({ ...waiting, approvals: [] }, context, { ...unseen, text: 'Report.' })).toBe('')
  expect(runText({ ...waiting, approvals: [] }, context, { ...unseen, text: 'Other.' })).toBe('Report.')
})

it('gives only the commands of a request that was just asked about', () => {
  const text = runText(waiting, commandContext(textHost(), { quiet: true }), {
    ...unseen,
    requests: new Set(['approval_1']),
  })
  expect(
    text
      .split('\n')
      .slice(1)
      .filter((line) => line !== ''),
  ).toEqual([
    'One call waits for a decision:',
    '  approve: fairlead approvals approve approval_1',
    "  deny:    fairlead approvals deny approval_1 --reason 'say why'",
  ])
})

it('names a call that waits for its result with every argument, harmless, and how to answer it', () => {
  const clientCalls = [{ callId: 'call_1_1_0', tool: 'read_meter', arguments: { room: 'cellar\u001b[2J' } }]
  const context = commandContext(textHost(), { quiet: true })
  expect(runText({ ...waiting, text: '', approvals: [], clientCalls }, context, unseen).split('\n')).toEqual([
    'One call waits for its result from you:',
    '',
    '? read_meter',
    '  call       call_1_1_0',
    '  arguments',
    '    room     cellar<U+001B>[2J',
    `  answer: fairlead calls answer call_1_1_0 --result '"the result as JSON"'`,
    "  fail:   fairlead calls answer call_1_1_0 --error UNAVAILABLE --message 'say why'",
  ])
})

it("shows a provider's own question as text nobody here wrote, and how it is answered", () => {
  const hostedApprovals = [{ id: 'r1', tool: 'mail\u001b[2J', arguments: '{"to":"ann"}' }]
  const run: RunView = { ...waiting, stopReason: 'hosted_approval_required', approvals: [], hostedApprovals }
  const text = runText(run, commandContext(textHost(), {}), unseen)
  for (const part of [
    'mail<U+001B>[2J',
    'r1',
    '{"to":"ann"}',
    'agent.run([request.approve({ by })])',
    'does not govern',
  ])
    expect(text).toContain(part)
  expect(text).toContain('stopped: hosted_approval_required')
})
