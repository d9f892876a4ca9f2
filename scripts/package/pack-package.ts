import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder } from '../build/files-under.ts'
import type { PublicPackage } from './public-packages.ts'
import { mustRun } from './run-command.ts'

/** A packed package: its tarball and the texts in it by path. */
export type Packed = { readonly tarball: string; readonly files: ReadonlyMap<string, string> }

/** Packs one package as `npm publish` would, into a folder, and unpacks it again to see what is in it. */
export function packPackage({ folder, manifest }: PublicPackage, target: string): Packed {
  const variables = process.env
  mustRun('npm', ['pack', '--pack-destination', target, '--loglevel=error'], { folder, variables })
  const name = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}`
  const unpacked = join(target, name)
  mkdirSync(unpacked)
  mustRun('tar', ['-xzf', `../${name}.tgz`], { folder: unpacked, variables })
  const inside = join(unpacked, 'package')
  const files = new Map(filesUnder(inside).map((path) => [path, readFileSync(join(inside, path), 'utf8')]))
  return { tarball: join(target, `${name}.tgz`), files }
}
