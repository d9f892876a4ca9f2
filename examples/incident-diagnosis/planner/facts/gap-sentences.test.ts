import { expect, it } from 'vitest'
import { gapSentences } from './gap-sentences.ts'

it('says one broken file once, for all that stand in it', () => {
  const broken = 'could not be read (BAD_DATA): m.om, line 3: found "x"'
  const gaps = [
    { name: 'CPU', reason: broken },
    { name: 'Pods', reason: 'none is listed for s' },
    { name: 'Memory', reason: broken },
    { name: 'Disk', reason: 'none is listed for s' },
  ]
  expect(gapSentences(gaps)).toEqual([
    `CPU, Memory: ${broken}.`,
    'Pods: none is listed for s.',
    'Disk: none is listed for s.',
  ])
})
