import { expect, it } from 'vitest'
import { sampleApproval } from '../../test/sample-records.ts'
import { textHost } from '../../test/text-host.ts'
import { commandContext } from '../command-context.ts'
import type { RunView } from './run-json.ts'
import { runText } from './run-text.ts'

const waiting: RunView = {
  runId: 'run_1',
  sessionId: 'session_1',
  stopReason: 'approval_required',
  text: 'Report.',
  approvals: [sampleApproval],
  usage: { inputTokens: 0, outputTokens: 0 },
  report: null,
}

it('names each pending request with the exact command lines that decide it', () => {
  const context = commandContext(textHost(), { store: "/tmp/an's store.db" })
  const text = runText(waiting, context, null)
  expect(text).toContain(`fairlead approvals approve approval_1 --store '/tmp/an'\\''s store.db'`)
  expect(text).toContain(`fairlead approvals deny approval_1 --reason 'say why' --store`)
  expect(text).toContain('Slow<U+001B>[2J checkout')
  for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden)
})

it('leaves the store out when it is the usual one', () => {
  expect(runText(waiting, commandContext(textHost(), {}), null)).not.toContain('--store')
})

it("leaves the model's reason out of the request when the text above it begins with it", () => {
  const approvals = [{ ...sampleApproval, modelReason: 'Report.' }]
  expect(runText({ ...waiting, approvals }, commandContext(textHost(), {}), null)).not.toContain('model says')
  expect(runText(waiting, commandContext(textHost(), {}), null)).toContain('model says')
})

it('does not repeat a text the person has just read', () => {
  const context = commandContext(textHost(), { quiet: true })
  expect(runText({ ...waiting, approvals: [] }, context, 'Report.')).toBe('')
  expect(runText({ ...waiting, approvals: [] }, context, 'Other.')).toBe('Report.')
})
