import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const sources = join(import.meta.dirname, 'peers')
const sharedFiles = ['ai-sdk-model.mjs', 'ai-sdk-subject.mjs']

/**
 * Makes the peers ready in the scratch folder, installing what is not there yet: never into the repository. Gives back
 * each one's adapter, or why it has to be skipped.
 */
export function installPeers(names, say) {
  const folder = scratchFolder()
  for (const name of sharedFiles) copyFileSync(join(sources, name), join(folder, name))
  return new Map(names.map((name) => [name, installPeer(name, folder, say)]))
}

/** Named by everything that is pinned, so that a changed version never meets an old installation. */
function scratchFolder() {
  const hash = createHash('sha256')
  for (const name of ['ai6', 'ai7', 'openai-agents']) hash.update(readFileSync(join(sources, name, 'package.json')))
  const folder = join(tmpdir(), `fairlead-bench-${hash.digest('hex').slice(0, 12)}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // A folder of this name that somebody else made could hold any code.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user: remove it.`)
  return folder
}

function installPeer(name, folder, say) {
  const target = join(folder, name)
  const installed = join(target, '.installed')
  mkdirSync(target, { recursive: true })
  copyFileSync(join(sources, name, 'adapter.mjs'), join(target, 'adapter.mjs'))
  const ready = { kind: 'ready', file: join(target, 'adapter.mjs') }
  if (existsSync(installed)) return ready
  say(`installing ${name} into ${target}`)
  copyFileSync(join(sources, name, 'package.json'), join(target, 'package.json'))
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-workspaces', '--loglevel=error']
  const { status, stderr, error } = spawnSync(command, args, { cwd: target, encoding: 'utf8', timeout: 180_000 })
  if (status !== 0) {
    const because = (error?.message ?? stderr ?? '').trim().split('\n').slice(0, 3).join(' ')
    return { kind: 'skipped', because: `npm install failed: ${because}` }
  }
  writeFileSync(installed, '')
  return ready
}
