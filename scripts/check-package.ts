// `npm run check:package`: what would be published, looked at as files and then used as a new user does.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackages } from './build/build-packages.ts'
import { beginProjects } from './package/begin-projects.ts'
import {
  askForHelp,
  diagnoseAndApprove,
  followReadme,
  importDoors,
  installTarballs,
  loadConfigurations,
  newUsersFolder,
} from './package/first-hour.ts'
import { lintTarball } from './package/lint-tarball.ts'
import { packPackage, type Packed } from './package/pack-package.ts'
import { publicPackages, type PublicPackage } from './package/public-packages.ts'
import { repositoryRoot } from './repository-root.ts'

const folder = mkdtempSync(join(tmpdir(), 'fairlead-package-'))
try {
  if (!buildPackages(repositoryRoot)) throw new Error('The packages do not compile.')
  const packages = publicPackages(repositoryRoot)
  const packed: Packed[] = []
  for (const one of packages) packed.push(await packAndLint(one))
  useAsNewUser(packages, packed)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function packAndLint(one: PublicPackage): Promise<Packed> {
  const packed = packPackage(one, folder)
  const faults = await lintTarball(packed)
  if (faults.length > 0) throw new Error(`${one.manifest.name} is not fit to publish:\n${faults.join('\n')}`)
  console.log(`${one.manifest.name} ${one.manifest.version}: ${packed.files.size} files, no fault`)
  return packed
}

function useAsNewUser(packages: readonly PublicPackage[], packed: readonly Packed[]): void {
  const user = newUsersFolder(folder)
  const version = packages.find(({ manifest }) => manifest.bin?.['fairlead'] !== undefined)?.manifest.version ?? 'none'
  const begun = performance.now()
  const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(1)
  installTarballs(
    packed.map(({ tarball }) => tarball),
    user,
  )
  console.log(`all ${packed.length} tarballs installed together after ${seconds()} s`)
  askForHelp(version, user)
  diagnoseAndApprove(user)
  console.log(`from an empty folder to an approved ticket: ${seconds()} s`)
  const templates = packed.flatMap(({ files }) => [...files.keys()].flatMap(templateIn))
  if (templates.length === 0) throw new Error('No template is packed: nothing was begun.')
  beginProjects(
    templates,
    packed.map(({ tarball }) => tarball),
    user,
  )
  console.log(`a project of each template begins as it says: ${templates.join(', ')}`)
  loadConfigurations(user)
  followReadme(user)
  const doors = packages.flatMap(({ manifest: { name, exports = {} } }) =>
    Object.keys(exports).map((door) => name + door.slice(1)),
  )
  importDoors(doors, user)
  console.log(`configurations of every kind and ${doors.length} doors load`)
}

function templateIn(path: string): readonly string[] {
  return /^src\/templates\/([^/]+)\/fairlead\.config\.ts$/.exec(path)?.slice(1) ?? []
}
