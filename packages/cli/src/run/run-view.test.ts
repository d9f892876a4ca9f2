import { Agent, memoryStore, type ChatClient, type Json } from '@fairlead/runtime/core'
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
const store = memoryStore()
const result = await new Agent({ model, store }).run('Go.')

const agent = (): never => {
  throw new Error('not called')
}

async function reported(
  config: Pick<FairleadConfig, 'report'>,
): Promise<{ readonly report: Json; readonly error: string }> {
  const host = textHost()
  const output = outputFor(host, { json: true, quiet: false, color: false })
  const { report } = await runView(result, { agent, ...config }, { store, output })
  return { report, error: host.error() }
}

it('gives the report of the configuration, and null where there is none', async () => {
  expect(await reported({ report: ({ text }) => ({ text }) })).toEqual({ report: { text: 'Done.' }, error: '' })
  expect(await reported({ report: () => null })).toEqual({ report: null, error: '' })
  expect(await reported({})).toEqual({ report: null, error: '' })
})

it('says that a report failed, and still tells the run', async () => {
  const failing = (): never => {
    throw new Error('no data')
  }
  expect(await reported({ report: failing })).toEqual({
    report: null,
    error: 'fairlead: The "report" function of the configuration failed: no data\n',
  })
})

it.each([
  ['answered', 0],
  ['approval_required', 0],
  ['iteration_limit', 0],
  ['in_doubt', 1],
  ['model_error', 1],
  ['aborted', 1],
] as const)('a run that stops with %s exits %i', (stopReason, code) => {
  expect(exitCodeOf({ stopReason })).toBe(code)
})
