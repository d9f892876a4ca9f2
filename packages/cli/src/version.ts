import { readFileSync } from 'node:fs'

/** The version in the package's own package.json. */
export function packageVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  if (typeof file === 'object' && file !== null && 'version' in file && typeof file.version === 'string')
    return file.version
  return 'unknown'
}
