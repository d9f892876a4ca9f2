import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages } from '../package/public-packages.ts'
import { filesUnder } from './files-under.ts'
import { staleOutputs } from './stale-outputs.ts'

/**
 * Compiles what changed, removes outputs whose source is gone and makes commands executable. The compiler's messages go
 * to this process's output. Gives back whether it compiled; after an error nothing else is done.
 */
export function buildPackages(root: string): boolean {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) return false
  for (const { folder, manifest } of publicPackages(root)) {
    const dist = join(folder, 'dist')
    for (const output of staleOutputs(filesUnder(dist), filesUnder(join(folder, 'src')))) rmSync(join(dist, output))
    for (const command of Object.values(manifest.bin ?? {})) chmodSync(join(folder, command), 0o755)
  }
  return true
}
