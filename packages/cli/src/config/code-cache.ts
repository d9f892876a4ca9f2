import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

function cacheHome(variables: { readonly [name: string]: string | undefined }): string | undefined {
  const { XDG_CACHE_HOME: named, HOME: home, LOCALAPPDATA: local } = variables
  if (named !== undefined && isAbsolute(named)) return named
  if (home !== undefined && isAbsolute(home)) return join(home, '.cache')
  return local !== undefined && isAbsolute(local) ? local : undefined
}

/**
 * A folder for compiled configuration files, made when missing; `false` when there is none that nobody else can write
 * to. What lies there will be run, so a shared temporary folder is never used.
 */
export function codeCacheFolder(variables: { readonly [name: string]: string | undefined }): string | false {
  const home = cacheHome(variables)
  if (home === undefined) return false
  const folder = join(home, 'fairlead', 'config')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    const isOurs = process.getuid === undefined || uid === process.getuid()
    return isOurs && (mode & 0o022) === 0 ? folder : false
  } catch {
    // A home that cannot be written to costs time, nothing else.
    return false
  }
}

/** True where a configuration was compiled before, so that loading it takes no time; a changed one may still take some. */
export function isCompiled(file: string, folder: string): boolean {
  // The name its loader keeps it under.
  const name = `${basename(dirname(file))}-${basename(file).replace(/\.[^.]+$/, '')}.`
  try {
    return readdirSync(folder).some((entry) => entry.startsWith(name))
  } catch {
    return false
  }
}
