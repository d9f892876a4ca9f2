import { expect, it } from 'vitest'
import { startProgram } from './start-program.ts'

it.each([
  ['retry', { stopReason: 'model_error', codes: [] }],
  ['tool', { stopReason: 'answered', codes: ['TIMEOUT'] }],
  ['guard', { stopReason: 'terminated', codes: [] }],
  ['deadline', { stopReason: 'budget_limit', codes: [] }],
  ['nothing', { stopReason: 'answered', codes: [null] }],
  ['hanging run', { stopReason: 'aborted', codes: [] }],
  ['hanging turn', { stopReason: 'aborted', codes: [] }],
  ['hanging call', { stopReason: 'aborted', codes: ['CANCELLED'] }],
  ['hanging after the call', { stopReason: 'aborted', codes: [null] }],
])('a process that only waits for a time limit lives until it is over, and no longer: %s', async (mode, expected) => {
  const program = startProgram('wait-for-time', [mode])
  expect(await program.ended).toEqual({ code: 0, signal: null, errors: '' })
  expect(program.lines).toEqual([{ kind: 'ended', ...expected }])
})
