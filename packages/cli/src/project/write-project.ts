import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFileNames } from '../config/find-config.ts'
import { usageFailure } from '../exit.ts'
import { makeFolder } from '../make-folder.ts'
import type { ProjectFile } from './project-template.ts'

/** What was written into the folder and what was there already and left as it was; paths inside the folder. */
export type WrittenProject = { readonly written: readonly string[]; readonly kept: readonly string[] }

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A file where a folder should be; writing will say so.
    return false
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Writes a project into a folder, making it when it is missing. Nothing is ever overwritten: a shared file that is
 * there is kept, any other one, or another configuration, is a usage failure that names it, with nothing written.
 */
export function writeProject(folder: string, files: readonly ProjectFile[]): WrittenProject {
  const own = files.filter(({ isShared }) => !isShared).map(({ path }) => path)
  const inTheWay = [...new Set([...own, ...configFileNames])].filter((path) => isThere(join(folder, path)))
  if (inTheWay.length > 0) {
    throw usageFailure(
      `${folder} has ${inTheWay.join(', ')} already; nothing was written. Name an empty or new folder: fairlead init DIR.`,
    )
  }
  const kept = files.filter(({ path, isShared }) => isShared && isThere(join(folder, path))).map(({ path }) => path)
  const missing = files.filter(({ path }) => !kept.includes(path))
  try {
    for (const { path, text } of missing) {
      const file = join(folder, path)
      makeFolder(dirname(file))
      // `wx`: whoever made the same file a moment ago keeps it.
      writeFileSync(file, text, { flag: 'wx' })
    }
  } catch (error) {
    throw usageFailure(`Cannot write into ${folder}: ${reasonOf(error)}. Name a folder you may write to.`, error)
  }
  return { written: missing.map(({ path }) => path), kept }
}
