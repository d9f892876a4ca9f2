import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLab, type Lab } from './lab.ts'
import { randomKills } from './random-kills.ts'
import { reportCrashes } from './report-crashes.ts'

let lab: Lab

beforeAll(async () => {
  lab = await openLab()
}, 120_000)

afterAll(() => lab.close())

it(
  'runs killed 50 times at random moments end right: `npm run check:crash` kills 500 times',
  { timeout: 300_000 },
  async () => {
    const seed = Number(process.env['FAIRLEAD_SEED'] ?? Math.trunc(Math.random() * 2 ** 31))
    const totals = await randomKills(lab, { kills: 50, seed })
    const report = reportCrashes(totals)
    console.log(report)
    expect(totals.wrong).toEqual([])
    expect(totals.kills).toBeGreaterThanOrEqual(50)
    expect(totals.effects).toBeGreaterThan(0)
    // Deaths of many kinds, else this looked at one place only.
    expect(Object.keys(totals.by).length).toBeGreaterThan(5)
  },
)
