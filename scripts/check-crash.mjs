// `npm run check:crash`: kills processes at random moments, takes their runs up again, and looks whether everything that
// was promised holds. `--kills N` (default 500), `--seed N` or FAIRLEAD_SEED (default random). Needs no build.
import { openLab } from '../e2e/crash/lab.ts'
import { randomKills } from '../e2e/crash/random-kills.ts'
import { reportCrashes } from '../e2e/crash/report-crashes.ts'
import { readCrashOptions } from './crash-options.ts'

const options = readCrashOptions(process.argv.slice(2), process.env)
console.log(`killing ${options.kills} processes, seed ${options.seed}`)
const lab = await openLab()
try {
  const totals = await randomKills(lab, options)
  console.log(reportCrashes(totals))
  // Nothing found is only worth something where something was done.
  const isDone = totals.kills >= options.kills && totals.effects > 0
  if (!isDone) console.error(`Only ${totals.kills} of ${options.kills} processes were killed.`)
  process.exitCode = totals.wrong.length === 0 && isDone ? 0 : 1
} finally {
  await lab.close()
}
