// Installs the locked dependencies when they are missing, so that each of README's commands works on a fresh clone.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

export function ensureInstalled() {
  // npm writes this file last: a folder without it is an install that was cut short.
  if (existsSync(join(root, 'node_modules/.package-lock.json'))) return
  process.stderr.write('Installing dependencies (npm ci, once) ...\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const done = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) {
    process.stderr.write(
      `npm ci failed (exit ${done.status ?? done.error?.message}). Check the network and run it by hand.\n`,
    )
    process.exit(1)
  }
}
