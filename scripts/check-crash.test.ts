import { describe, expect, it } from 'vitest'
import { reportCrashes } from '../e2e/crash/report-crashes.ts'
import { readCrashOptions } from './crash-options.ts'

describe('the options of check:crash', () => {
  it('are 500 kills from a random seed, or what is said', () => {
    expect(readCrashOptions([], {}).kills).toBe(500)
    expect(readCrashOptions([], {}).seed).toBeGreaterThanOrEqual(0)
    expect(readCrashOptions([], { FAIRLEAD_SEED: '7' })).toEqual({ kills: 500, seed: 7 })
    expect(readCrashOptions(['--seed', '9', '--kills', '3'], { FAIRLEAD_SEED: '7' })).toEqual({ kills: 3, seed: 9 })
  })

  it.each([['--kills'], ['--kills', 'many'], ['--kills', '-1'], ['--kill', '5']])('%s %s is refused', (...args) => {
    expect(() => readCrashOptions(args, {})).toThrow(/found/)
  })
})

describe('the report', () => {
  const totals = {
    seed: 40,
    runs: 3,
    kills: 9,
    pauses: 1,
    workers: 20,
    effects: 12,
    seconds: 4.2,
    by: { time: 3, 'after intents': 6 },
    wrong: [],
  }

  it('says how much was done', () => {
    expect(reportCrashes(totals)).toBe(
      '9 kills and 1 pauses in 3 runs (seeds 40 to 42), 20 processes, 12 effects, 4.2 s\n' +
        'killed at 2 kinds of moments, most often: after intents 6, time 3',
    )
  })

  it('says what went wrong, and the seed that shows it again', () => {
    const wrong = [
      { seed: 41, kills: { time: 1 }, pauses: 0, workers: 3, effects: 2, violations: ['two effects', 'round 1'] },
    ]
    expect(reportCrashes({ ...totals, wrong })).toContain('\nSeed 41 (FAIRLEAD_SEED=41):\n  two effects\n  round 1')
  })
})
