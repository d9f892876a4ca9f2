import { randomBytes } from 'node:crypto'
import type { Ids } from '../ports/ids.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const idLength = 16

/** Ids of 80 random bits in 16 letters and digits, drawn in blocks because a system call for each would cost more. */
export function randomIds(): Ids {
  let pool = Buffer.alloc(0)
  let next = 0
  return {
    next(prefix) {
      if (next + idLength > pool.length) {
        pool = randomBytes(idLength * 64)
        next = 0
      }
      let id = `${prefix}_`
      for (let index = 0; index < idLength; index++) id += alphabet[(pool[next++] ?? 0) & 31]
      return id
    },
  }
}
