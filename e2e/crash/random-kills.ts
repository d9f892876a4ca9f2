import type { Lab } from './lab.ts'
import { randomRun, type CrashReport } from './random-run.ts'

/** What many runs came to. */
export type CrashTotals = {
  readonly seed: number
  readonly runs: number
  readonly kills: number
  readonly pauses: number
  readonly workers: number
  readonly effects: number
  readonly seconds: number
  /** How often each point (or the time) killed. */
  readonly by: { readonly [by: string]: number }
  /** The runs that went wrong. */
  readonly wrong: readonly CrashReport[]
}

/**
 * Goes from run to run until `kills` processes were killed, `atOnce` runs side by side. Run number n of a seed has the
 * seed `seed + n`. Stops at the first run in which something did not hold.
 */
export async function randomKills(
  lab: Lab,
  options: { readonly kills: number; readonly seed: number; readonly atOnce?: number },
): Promise<CrashTotals> {
  const { kills: wanted, seed, atOnce = 2 } = options
  const startedAt = performance.now()
  const reports: CrashReport[] = []
  const killed = (): number => sumOf(reports.map(({ kills }) => sumOf(Object.values(kills))))
  let next = seed
  async function goOn(): Promise<void> {
    while (killed() < wanted && reports.every(({ violations }) => violations.length === 0)) {
      const bench = lab.bench()
      reports.push(await randomRun(bench, next++))
      bench.remove()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, goOn))
  const by: { [by: string]: number } = {}
  for (const { kills } of reports) for (const [name, count] of Object.entries(kills)) by[name] = (by[name] ?? 0) + count
  return {
    seed,
    runs: reports.length,
    kills: killed(),
    pauses: sumOf(reports.map(({ pauses }) => pauses)),
    workers: sumOf(reports.map(({ workers }) => workers)),
    effects: sumOf(reports.map(({ effects }) => effects)),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    by,
    wrong: reports.filter(({ violations }) => violations.length > 0),
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
