import { lstatSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFileNames } from '../config/find-config.ts'
import { usageFailure } from '../exit.ts'
import { makeFolder } from '../make-folder.ts'
import type { ProjectFile } from './project-template.ts'

/** What was written into the folder and what was there already and left as it was; paths inside the folder. */
export type WrittenProject = { readonly written: readonly string[]; readonly kept: readonly string[] }

/** Also a link that leads nowhere is there: writing through it would make a file somewhere else. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A file where a folder should be; writing will say so.
    return false
  }
}

/** What stands where a file or folder of the project must go and is neither: a link that leads nowhere, a pipe. */
function isBlocked(path: string, wanted: 'file' | 'folder'): boolean {
  if (!isThere(path)) return false
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || !(wanted === 'file' ? found.isFile() : found.isDirectory())
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Writes a project into a folder, making it when it is missing. Nothing is ever overwritten: a shared file that is
 * there is kept, any other one, another configuration, or what a file or folder cannot be written over, is a usage
 * failure that names it, with nothing written; so is a write that fails, after which what was written is removed.
 */
export function writeProject(folder: string, files: readonly ProjectFile[]): WrittenProject {
  const own = files.filter(({ isShared }) => !isShared).map(({ path }) => path)
  const shared = files.filter(({ isShared }) => isShared).map(({ path }) => path)
  const folders = files.map(({ path }) => dirname(path)).filter((path) => path !== '.')
  const inTheWay = [
    ...[...own, ...configFileNames].filter((path) => isThere(join(folder, path))),
    ...shared.filter((path) => isBlocked(join(folder, path), 'file')),
    ...folders.filter((path) => isBlocked(join(folder, path), 'folder')),
  ].filter((path, index, all) => all.indexOf(path) === index)
  if (inTheWay.length > 0) {
    throw usageFailure(
      `${folder} has ${inTheWay.join(', ')} already; nothing was written. Name an empty or new folder: fairlead init DIR.`,
    )
  }
  const kept = files.filter(({ path, isShared }) => isShared && isThere(join(folder, path))).map(({ path }) => path)
  const missing = files.filter(({ path }) => !kept.includes(path))
  const done: string[] = []
  try {
    for (const { path, text } of missing) {
      const file = join(folder, path)
      makeFolder(dirname(file))
      // `wx`: whoever made the same file a moment ago keeps it.
      writeFileSync(file, text, { flag: 'wx' })
      done.push(file)
    }
  } catch (error) {
    for (const file of done) rmSync(file, { force: true })
    throw usageFailure(`Cannot write into ${folder}: ${reasonOf(error)}. Name a folder you may write to.`, error)
  }
  return { written: missing.map(({ path }) => path), kept }
}
