import { readFile } from 'node:fs/promises'
import { statSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { CommandFailure, usageFailure } from '../exit.ts'
import { visibleLine } from '../output/visible-text.ts'
import type { FairleadConfig } from './define-config.ts'
import { readConfig } from './read-config.ts'
import { virtualModules } from './virtual-modules.ts'

/** The message on one line; the place of a syntax error stays, the list of requiring files goes. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return visibleLine(message.split('\nRequire stack', 1)[0] ?? '', 400)
}

/** How to get a package a configuration asks for, where one is missing; packages are looked for beside the file. */
function installHint(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const specifier = /Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1] ?? ''
  const name = /^(?:@[a-z0-9~._-]+\/)?[a-z0-9~_-][a-z0-9~._-]*/i.exec(specifier)?.[0]
  return name === undefined || specifier.includes(':')
    ? ''
    : ` Install it beside the configuration: npm install ${name}`
}

/** A JSON file cannot hold code, so it names the module that does: `{"module": "./agent.ts"}`. */
async function moduleNamedBy(file: string): Promise<string> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw usageFailure(`Cannot read ${file}: ${reasonOf(error)}.`, error)
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  const [only] = entries
  if (entries.length !== 1 || only?.[0] !== 'module' || typeof only[1] !== 'string') {
    throw usageFailure(`${file}: a JSON configuration is {"module": "./agent.ts"}, naming the file that exports it.`)
  }
  const named = resolve(dirname(file), only[1])
  const found = statSync(named, { throwIfNoEntry: false })
  if (found === undefined) throw usageFailure(`${file}: there is no module at ${named}.`)
  // Loading a pipe or a device would wait for ever.
  if (!found.isFile()) throw usageFailure(`${file}: "module" must name a file; ${named} is none.`)
  return named
}

/**
 * Loads and checks a configuration file (TypeScript, JavaScript or JSON). Every fault of it is a usage failure of one
 * line. `codeCache` is a private folder where compiled files are kept; `false` compiles them anew each time.
 */
export async function loadConfig(
  file: string,
  options: { readonly codeCache: string | false },
): Promise<FairleadConfig> {
  const module = extname(file) === '.json' ? await moduleNamedBy(file) : file
  const { createJiti } = await import('jiti')
  const loader = createJiti(import.meta.url, { virtualModules: await virtualModules(), fsCache: options.codeCache })
  let exported: unknown
  try {
    exported = await loader.import(module, { default: true })
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw usageFailure(`Cannot load ${module}: ${reasonOf(error)}${installHint(error)}`, error)
  }
  return readConfig(exported, module)
}
