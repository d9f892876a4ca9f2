import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { usageFailure } from '../exit.ts'

const configNames = ['fairlead.config.ts', 'fairlead.config.mts', 'fairlead.config.js']

function exampleFolders(): readonly string[] {
  const packageFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  // Only in the repository, and there first, since the packed copy may be stale: beside an installed package the same
  // path would be the user's own folder.
  const inRepository = basename(dirname(packageFolder)) === 'packages' ? [join(packageFolder, '../../examples')] : []
  return [...inRepository, join(packageFolder, 'examples')].filter((folder) => existsSync(folder))
}

function configFileIn(folder: string): string | undefined {
  return configNames.map((name) => join(folder, name)).find((file) => existsSync(file))
}

function knownExamples(): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const folder of exampleFolders()) {
    for (const entry of readdirSync(folder)) {
      const file = configFileIn(join(folder, entry))
      if (file !== undefined && !known.has(entry)) known.set(entry, file)
    }
  }
  return known
}

/** The names `--example` takes, in alphabetical order. */
export function exampleNames(): readonly string[] {
  return [...knownExamples().keys()].toSorted()
}

/** The configuration file of an example that ships with the command; another name is a usage failure naming those there are. */
export function findExample(name: string): string {
  const file = knownExamples().get(name)
  if (file !== undefined) return file
  throw usageFailure(`There is no example "${name}". Known examples: ${exampleNames().join(', ') || 'none'}.`)
}
