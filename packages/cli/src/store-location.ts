import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Store } from '@fairlead/runtime/core'
import { usageFailure } from './exit.ts'
import type { Host } from './host.ts'
import { makeFolder } from './make-folder.ts'

/** The store file in use. `isNamed`: typed on this command line. `isDefault`: what one gets without saying anything. */
export type StoreLocation = {
  readonly file: string
  readonly isNamed: boolean
  readonly isDefault: boolean
  /** How long to wait for another process that holds the file, in milliseconds; left out: what the store does by itself. */
  readonly lockTimeoutMs?: number
}

function lockTimeout(host: Host): { readonly lockTimeoutMs?: number } {
  const text = host.variables['FAIRLEAD_LOCK_TIMEOUT_MS']
  if (text === undefined || text === '') return {}
  const lockTimeoutMs = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(lockTimeoutMs)) return { lockTimeoutMs }
  throw usageFailure(`FAIRLEAD_LOCK_TIMEOUT_MS expects whole milliseconds, for example 10000; found "${text}".`)
}

/** `--store`, else `FAIRLEAD_STORE`, else `.fairlead/fairlead.db` under the working directory. A folder is a usage failure. */
export function locateStore(named: string | undefined, host: Host): StoreLocation {
  if (named?.trim() === '') throw usageFailure('--store expects a file, for example .fairlead/fairlead.db.')
  const usual = join(host.workingDirectory, '.fairlead', 'fairlead.db')
  const variable = host.variables['FAIRLEAD_STORE']
  const chosen = named ?? (variable === '' ? undefined : variable)
  const patience = lockTimeout(host)
  if (chosen === undefined) return { file: usual, isNamed: false, isDefault: true, ...patience }
  const file = resolve(host.workingDirectory, chosen)
  if (existsSync(file) && statSync(file).isDirectory()) {
    const option = named === undefined ? 'FAIRLEAD_STORE' : '--store'
    throw usageFailure(`${file} is a folder. ${option} expects a file, for example ${join(chosen, 'fairlead.db')}.`)
  }
  return { file, isNamed: named !== undefined, isDefault: file === usual, ...patience }
}

/** A store that is closed when its scope ends. */
export type OpenedStore = AsyncDisposable & { readonly store: Store }

/** Opens the store, making the file when it is missing. A file that cannot be used is a usage failure. */
export async function openStore(location: StoreLocation): Promise<OpenedStore> {
  const { file, lockTimeoutMs } = location
  try {
    // What a store holds is for its owner alone.
    makeFolder(dirname(file), { mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw usageFailure(`Cannot make the folder of the store ${file}: ${reason}. Name a file you may write to.`, error)
  }
  const { sqliteStore } = await import('@fairlead/store')
  const store = sqliteStore({ file, ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }) })
  try {
    await store.ready()
  } catch (error) {
    await store.close()
    throw usageFailure(error instanceof Error ? error.message : String(error), error)
  }
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

/**
 * Opens a store that must hold something already. A file typed on the command line has to exist (usage failure);
 * another one may not have been made yet: `undefined`.
 */
export async function openExistingStore(location: StoreLocation): Promise<OpenedStore | undefined> {
  if (existsSync(location.file)) return openStore(location)
  if (location.isNamed) throw usageFailure(`There is no store at ${location.file}. Name the file a run was kept in.`)
  return undefined
}
