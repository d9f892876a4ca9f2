import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageFailure } from '../exit.ts'

/** `--data DIR` as an absolute path; `null` without it. A path that is not a folder is a usage failure. */
export function dataDirectory(named: string | undefined, workingDirectory: string): string | null {
  if (named === undefined) return null
  if (named.trim() === '') throw usageFailure('--data expects a folder; found an empty text.')
  const folder = resolve(workingDirectory, named)
  if (!existsSync(folder)) throw usageFailure(`There is no folder at ${folder}. --data expects a folder.`)
  if (!statSync(folder).isDirectory()) throw usageFailure(`${folder} is a file. --data expects a folder.`)
  return folder
}
