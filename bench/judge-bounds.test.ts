import { describe, expect, it } from 'vitest'
import { judgeBounds } from './judge-bounds.mjs'
import { absoluteRows, iteratingRatio, ratioRows, subjectRatio } from './summarise-rounds.mjs'

const times = (us: number) => ({ wallP10Us: us, wallMedianUs: us, cpuUs: us })
const mode = (perCall: number, whole: number) => ({
  none: times(0),
  seq10: times(whole),
  par20: times(whole),
  perCall: { seq: times(perCall), par: times(perCall) },
  heapBytesPerRun: 100,
})
const round = (perCall: number) => ({
  modes: {
    generate: mode(perCall, perCall * 10),
    stream: mode(perCall, perCall * 12),
    fold: mode(perCall, perCall * 10),
  },
})
type Rounds = ReadonlyMap<string, readonly (ReturnType<typeof round> | null)[]>

const judge = (measured: Rounds) =>
  judgeBounds({
    measured,
    absolute: absoluteRows(measured),
    ratios: ratioRows(measured),
    deltas: { core: { addedUsPerDelta: 0.4 } },
    commits: { batches: [{ calls: 1, commits: 2 }], approvalStop: { commits: 2 } },
  })

describe('the report of some rounds', () => {
  const measured: Rounds = new Map([
    ['ai7', [round(100), round(50), round(80)]],
    ['fairlead', [round(10), round(10), null]],
    ['fairlead-middleware', [round(12), round(14), round(99)]],
  ])

  it('takes each ratio within its round, leaving out a round that failed', () => {
    const row = ratioRows(measured).find(({ subject, mode: of }) => subject === 'fairlead' && of === 'generate')
    expect(row?.perCallSeqWall).toBe(0.15)
  })

  it('compares iterating with folding', () => {
    expect(iteratingRatio(measured, 'fairlead', 'seq10')).toBe(1.2)
  })

  it('compares two subjects within a round, leaving out a round one of them failed in', () => {
    const of = { subject: 'fairlead-middleware', against: 'fairlead', mode: 'stream', script: 'par20' }
    expect(subjectRatio(measured, of)).toBe(1.3)
    expect(subjectRatio(measured, { ...of, against: 'floor' })).toBeNull()
  })

  it('says of every bound whether it is met, missed or was not measured', () => {
    const verdicts = judge(measured).map(({ measure, met }) => [measure, met])
    expect(verdicts).toEqual([
      ['core, one call per turn, against AI SDK 7 generate', true],
      ['core, 20 parallel calls, against AI SDK 7 generate', true],
      ['core, iterating against folding, seq10', false],
      ['core, iterating against folding, par20', false],
      ['core, three pieces of middleware against none, seq10', true],
      ['core, three pieces of middleware against none, par20', true],
      ['fromAiSdk against AI SDK 7 streaming, one call per turn', null],
      ['fromAiSdk against AI SDK 7 streaming, 20 parallel calls', null],
      ['core, per text delta', true],
      ['core, heap kept per run, generate', true],
      ['core, heap kept per run, stream', true],
      ['durable, a batch of 1', true],
      ['durable, a batch of 20', null],
      ['durable, a batch of 500', null],
      ['durable, a stop at an approval', false],
    ])
  })

  it('has no ratio where the baseline did not run', () => {
    expect(ratioRows(new Map([['fairlead', [round(10)]]])).every((row) => row.seq10Wall === null)).toBe(true)
  })
})
