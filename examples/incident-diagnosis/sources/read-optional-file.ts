import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { badData } from './bad-data.ts'

/** The text of a file of the data folder, `null` when it is not there. Any other failure is `BAD_DATA`. */
export async function readOptionalFile(directory: string, name: string): Promise<string | null> {
  try {
    const text = await readFile(join(directory, name), 'utf8')
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'ENOENT') return null
    throw badData({ file: name, expected: 'a readable file', found: code ?? 'a failure' })
  }
}

/** The `code` of a Node error, `null` when the value carries none. */
export function errorCodeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
