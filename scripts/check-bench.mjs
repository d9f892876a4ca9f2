// A leg of CI: the benchmark's quick round. It fails when something did not run; peers that cannot be installed, which
// says nothing about this commit, are reported with the reason and passed over.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { reportText } from '../bench/print-report.mjs'
import { root } from './ensure-installed.mjs'

const { status, stdout } = spawnSync(process.execPath, [join(root, 'bench/run.mjs'), '--quick', '--json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (stdout.trim() === '') {
  console.error(`The benchmark ended with exit code ${status} and without a report.`)
  process.exit(1)
}
const report = JSON.parse(stdout)
console.log(reportText(report))
for (const { name, because } of report.skipped) console.log(`bench: ${name} was skipped: ${because}`)
process.exit(report.failed.length === 0 ? 0 : 1)
