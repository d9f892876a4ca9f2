import { join } from 'node:path'
import { readRegularFile } from '../files/index.ts'
import { badData } from './bad-data.ts'

const mostBytes = 8_000_000

/** The text of a file of the data folder, `null` when it is not there. Any other failure, and one over 8 MB, is `BAD_DATA`. */
export async function readOptionalFile(directory: string, name: string): Promise<string | null> {
  const reading = await readRegularFile(join(directory, name), mostBytes)
  switch (reading.kind) {
    case 'text':
      return reading.text
    case 'missing':
      return null
    case 'refused':
      throw badData({ file: name, expected: 'a readable file of at most 8 MB', found: reading.found })
    default:
      return reading satisfies never
  }
}
