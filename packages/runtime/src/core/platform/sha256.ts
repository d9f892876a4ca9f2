import { createHash } from 'node:crypto'
import type { Hash } from '../ports/hash.ts'

/** SHA-256 from `node:crypto`. */
export const sha256: Hash = {
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
}
