import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'

const manifest = z.object({ config: z.object({ data: z.string() }) })

/**
 * The data folder to use: the one that was asked for, else the one the example's package.json names under
 * `config.data`. Throws an `Error` with one clear sentence when there is no such folder.
 */
export function dataFolder(exampleDirectory: string, wanted: string | undefined): string {
  const folder = wanted === undefined ? resolve(exampleDirectory, shippedFolder(exampleDirectory)) : resolve(wanted)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  throw new Error(
    `The data folder must be a directory in the form of an incident data folder; found none at ${folder}.`,
  )
}

function shippedFolder(exampleDirectory: string): string {
  const text = readFileSync(resolve(exampleDirectory, 'package.json'), 'utf8')
  return manifest.parse(JSON.parse(text)).config.data
}
