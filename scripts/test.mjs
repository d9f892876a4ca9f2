// `npm test`: installs what is missing, then runs every test; the JSON report is what .ci/run counts from.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureInstalled, root } from './ensure-installed.mjs'

ensureInstalled()
const args = process.argv.slice(2)
const run = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(root, 'test-report.json')}`,
    ...args,
  ],
  { cwd: root, stdio: 'inherit' },
)
process.exit(run.status ?? 1)
