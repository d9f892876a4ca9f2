import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { usageFailure } from '../exit.ts'
import type { ConfigSource } from '../started-with.ts'
import { findExample } from './find-example.ts'

/** The names looked for in the working directory, in this order. */
export const configFileNames: readonly string[] = [
  'fairlead.config.ts',
  'fairlead.config.mts',
  'fairlead.config.js',
  'fairlead.config.json',
]

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile()
}

/** `--config` or `--example`, else the configuration in the working directory; none is a usage failure. */
export function findConfig(
  workingDirectory: string,
  options: { readonly config?: string | undefined; readonly example?: string | undefined },
): ConfigSource {
  const { config, example } = options
  if (config !== undefined && example !== undefined) {
    throw usageFailure('Give either --config or --example, not both.')
  }
  if (example !== undefined) return { kind: 'example', name: example, file: findExample(example) }
  if (config !== undefined) {
    const file = resolve(workingDirectory, config)
    if (!isFile(file)) throw usageFailure(`There is no configuration file at ${file}.`)
    return { kind: 'file', file }
  }
  const found = configFileNames.map((name) => join(workingDirectory, name)).find(isFile)
  if (found !== undefined) return { kind: 'file', file: found }
  throw usageFailure(
    `No fairlead.config.ts, .mts, .js or .json in ${workingDirectory}. Make one with fairlead init, or give --config FILE or --example NAME.`,
  )
}
