import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Brings the built packages up to date: what is measured is what a user installs. Throws when there is no build. */
export function buildProject(say) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [compiler, '-b', 'packages/runtime', 'packages/store']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status === 0) return
  say(`tsc -b found errors:\n${stdout.trim()}`)
  for (const name of ['runtime', 'store']) {
    const door = join(root, 'packages', name, 'dist', 'index.js')
    if (!existsSync(door)) throw new Error(`There is no build of packages/${name} to measure. Run: npm run build`)
  }
  throw new Error('The project does not compile, so its build may be old. Nothing was measured.')
}
