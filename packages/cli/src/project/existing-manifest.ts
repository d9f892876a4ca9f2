import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { usageFailure } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'

/** What matters of a `package.json` that is there already. */
export type ExistingManifest = { readonly dependsOnFairlead: boolean; readonly isModule: boolean }

const longestBytes = 1_048_576

/** Reads a folder's `package.json`; `null` where there is none. One that cannot be used is a usage failure. */
export function readExistingManifest(folder: string): ExistingManifest | null {
  const file = join(folder, 'package.json')
  const value = parsed(file)
  if (value === null) return null
  const members: { readonly [key: string]: unknown } = { ...value }
  const dependsOnFairlead = ['dependencies', 'devDependencies'].some((kind) => {
    const dependencies = members[kind]
    return typeof dependencies === 'object' && dependencies !== null && Object.hasOwn(dependencies, 'fairlead')
  })
  return { dependsOnFairlead, isModule: members['type'] === 'module' }
}

function parsed(file: string): object | null {
  let reason = 'it is no JSON object'
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!found.isFile() || found.size > longestBytes) throw new Error('it is no file of less than 1 MiB')
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    // A file where the folder should be: writing says so.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return null
    reason = error instanceof Error ? error.message : String(error)
  }
  throw usageFailure(`${file} cannot be used: ${visibleLine(reason, 200)}. Mend it first; nothing was written.`)
}
