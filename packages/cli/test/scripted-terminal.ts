import { PassThrough, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Terminal } from '../src/terminal.ts'

/** A person at a terminal: types the next keys once the question they belong to is on the screen. */
export type ScriptedTerminal = Terminal & {
  /** Everything drawn so far, without control characters. */
  readonly drawn: () => string
  /** Questions whose keys were not typed, because they never came. */
  readonly unasked: () => number
}

/** What to wait for and what to type then; `null` closes the input instead. */
export type Keys = readonly [question: string, keys: string | null]

/** Makes a terminal for `canAsk` hosts. Without `columns` it does not say how wide it is. */
export function scriptedTerminal(script: readonly Keys[], size: { readonly columns?: number } = {}): ScriptedTerminal {
  const input = new PassThrough()
  const waiting = [...script]
  let drawn = ''
  let unread = ''
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      drawn += chunk.toString()
      unread += chunk.toString()
      const [next] = waiting
      if (next !== undefined && stripVTControlCharacters(unread).includes(next[0])) {
        waiting.shift()
        unread = ''
        // After the question has begun to listen: it draws first.
        setImmediate(() => (next[1] === null ? input.end() : input.write(next[1])))
      }
      done()
    },
  })
  return {
    input,
    output: Object.assign(output, size),
    drawn: () => stripVTControlCharacters(drawn),
    unasked: () => waiting.length,
  }
}
