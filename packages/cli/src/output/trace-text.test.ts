import { expect, it } from 'vitest'
import { sampleCall, sampleRun } from '../../test/sample-records.ts'
import { textHost } from '../../test/text-host.ts'
import { coloursFor } from './colours.ts'
import { traceText } from './trace-text.ts'

it('shows who ran what, why it was allowed, its steps and its evidence', () => {
  const calls = [{ ...sampleCall, modelReason: 'Look\u001b[2K here' }]
  const trace = { run: sampleRun, calls, approvals: [], thrown: new Map() }
  const text = traceText(trace, coloursFor(textHost(), true))
  for (const part of [
    'ann (sre) in staging',
    'allow (read-only)',
    'Requested +0 → Succeeded +12 → Observed +13',
    'evidence://run_1/call_1_1_0',
    'Look<U+001B>[2K here',
    '3 observation tokens',
  ]) {
    expect(text).toContain(part)
  }
})
