import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../package/run-command.ts'

/** Where the two programs are, or why they cannot be had. */
export type Binaries =
  | {
      readonly kind: 'found'
      readonly prometheus: string
      readonly promtool: string
      readonly version: string
      readonly major: number
    }
  | { readonly kind: 'none'; readonly reason: string }

/** Looks on the PATH; else, where it may, takes Debian's package apart in `folder`: nothing is installed, no service starts. */
export function findBinaries(options: { readonly folder: string; readonly mayFetch: boolean }): Binaries {
  const onPath = described('prometheus', 'promtool')
  if (onPath.kind === 'found') return onPath
  if (!options.mayFetch) {
    return { kind: 'none', reason: 'no prometheus and promtool on the PATH (--install fetches the Debian package)' }
  }
  return fetchDebianPackage(join(options.folder, 'package'))
}

function fetchDebianPackage(folder: string): Binaries {
  mkdirSync(folder, { recursive: true })
  const where = { folder, variables: { ...process.env, LC_ALL: 'C' } }
  const download = () => runCommand('apt-get', ['download', '--quiet', 'prometheus'], where)
  let fetched = download()
  if (fetched.code !== 0) {
    runCommand('apt-get', ['update', '--quiet'], where)
    fetched = download()
  }
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'))
  if (fetched.code !== 0 || file === undefined) return none('the Debian package cannot be fetched', fetched.error)
  const unpacked = runCommand('dpkg-deb', ['--extract', file, '.'], where)
  if (unpacked.code !== 0) return none('the Debian package cannot be taken apart', unpacked.error)
  const found = described(join(folder, 'usr/bin/prometheus'), join(folder, 'usr/bin/promtool'))
  return found.kind === 'found' ? found : none('the programs of the Debian package do not run', found.reason)
}

function described(prometheus: string, promtool: string): Binaries {
  const where = { folder: process.cwd(), variables: process.env }
  const [server, tool] = [runCommand(prometheus, ['--version'], where), runCommand(promtool, ['--version'], where)]
  const version = /prometheus, version (\d+)\.\S+/.exec(`${server.out}${server.error}`)
  if (server.code !== 0 || tool.code !== 0 || version === null)
    return none('they do not run', server.error || tool.error)
  return { kind: 'found', prometheus, promtool, version: version[0].split(' ').at(-1) ?? '', major: Number(version[1]) }
}

function none(what: string, words: string): Binaries {
  return { kind: 'none', reason: `${what} (${words.trim().split('\n').at(-1) ?? ''})` }
}
