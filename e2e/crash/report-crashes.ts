import type { CrashTotals } from './random-kills.ts'

/** What happened in words: one line of figures, then whatever went wrong and how to see it again. */
export function reportCrashes(totals: CrashTotals): string {
  const { kills, pauses, runs, workers, effects, seconds, seed, by, wrong } = totals
  const most = Object.entries(by)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 8)
    .map(([point, count]) => `${point} ${count}`)
  const figures =
    `${kills} kills and ${pauses} pauses in ${runs} runs (seeds ${seed} to ${seed + runs - 1}), ` +
    `${workers} processes, ${effects} effects, ${seconds} s`
  const where = `killed at ${Object.keys(by).length} kinds of moments, most often: ${most.join(', ')}`
  const faults = wrong.map(
    ({ seed: own, violations }) => `\nSeed ${own} (FAIRLEAD_SEED=${own}):\n  ${violations.join('\n  ')}`,
  )
  return [figures, where, ...faults].join('\n')
}
