import { Agent, type ChatClient, type Json } from '@fairlead/runtime/core'
import { expect, it } from 'vitest'
import { textHost } from '../../test/text-host.ts'
import type { FairleadConfig } from '../config/define-config.ts'
import { outputFor } from '../output/output.ts'
import { exitCodeOf } from './finish-run.ts'
import { runView } from './run-view.ts'

const model: ChatClient = {
  model: 'fixed',
  generate: () => Promise.resolve({ parts: [{ kind: 'text', text: 'Done.' }], finishReason: 'stop' }),
}
const result = await new Agent({ model }).run('Go.')

const agent = (): never => {
  throw new Error('not called')
}

function reported(config: Pick<FairleadConfig, 'report'>): { readonly report: Json; readonly error: string } {
  const host = textHost()
  const { report } = runView(result, { agent, ...config }, outputFor(host, { json: true, quiet: false, color: false }))
  return { report, error: host.error() }
}

it('gives the report of the configuration, and null where there is none', () => {
  expect(reported({ report: ({ text }) => ({ text }) })).toEqual({ report: { text: 'Done.' }, error: '' })
  expect(reported({ report: () => null })).toEqual({ report: null, error: '' })
  expect(reported({})).toEqual({ report: null, error: '' })
})

it('says that a report failed, and still tells the run', () => {
  const failing = (): never => {
    throw new Error('no data')
  }
  expect(reported({ report: failing })).toEqual({
    report: null,
    error: 'fairlead: The "report" function of the configuration failed: no data\n',
  })
})

it.each([
  ['answered', 0],
  ['approval_required', 0],
  ['iteration_limit', 0],
  ['in_doubt', 0],
  ['model_error', 1],
  ['aborted', 1],
] as const)('a run that stops with %s exits %i', (stopReason, code) => {
  expect(exitCodeOf({ stopReason })).toBe(code)
})
